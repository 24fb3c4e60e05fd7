import type { Phrase, PromptCache } from '@mutsumi/schema'
import type { Environment } from '../wire/environment.js'
import type { OpenWireModel } from '../wire/wire-model.js'

export type ProviderName = 'openai' | 'anthropic' | 'google' | ChatProviderName

/** Providers with chat completions. */
export type ChatProviderName =
  | 'ollama'
  | 'lmstudio'
  | 'openrouter'
  | 'deepseek'
  | 'groq'
  | 'mistral'
  | 'azure'
  | 'openai-compatible'

export interface Provider {
  readonly name: ProviderName
  /** Absent if there is no usual address. */
  readonly baseUrl?: string
  /** The usual variables, in order. */
  readonly keyVariables: readonly string[]
  /** It needs no key, or one that the user made up. */
  readonly needsNoKey?: true
  /** Its key is sent only to its own address, even if the user gives another one. */
  readonly keyStaysHome?: true
  readonly baseUrlVariable?: string
  /** Its address, derived from other environment variables. `name` is the model's. */
  readonly addressIn?: (environment: Environment, name: string) => string | undefined
  /** Advice if it has no address. */
  readonly addressAdvice?: Phrase
  /** An example model. */
  readonly example: string
  /** The default model if only a key is set. */
  readonly defaultModel?: string
  /** Model names that imply this provider. */
  readonly families: RegExp
  /** All its models are trained for its own tool calls. */
  readonly callsTools?: true
  /** Known facts about its prompt cache. */
  readonly cache?: PromptCache
  /** How many stop strings it accepts. We enforce the others ourselves. */
  readonly maxStops: number
  /** It runs models with chat templates of their own, and many of these refuse a second system message. */
  readonly oneSystemMessage?: true
  /** It reports usage without being asked, and refuses a request that asks for it. */
  readonly tellsUsage?: true
  /** The header for its key, if it is not `Authorization`. */
  readonly keyHeader?: string
  /** Loads its code on demand. */
  readonly load: () => Promise<OpenWireModel>
}
