import type { PromptCache } from '@mutsumi/schema'
import type { Environment } from '../wire/environment.js'
import type { OpenWireModel } from '../wire/wire-model.js'

export type ProviderName = 'openai' | 'anthropic' | 'google' | ChatProviderName

/** Those that speak chat completions. */
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
  /** Absent where there is no usual place. */
  readonly baseUrl?: string
  /** The usual variables, in order. */
  readonly keyVariables: readonly string[]
  /** It asks for no key, or for one of the user's own making. */
  readonly needsNoKey?: true
  /** Its key goes to its own address only, also where the user names another. */
  readonly keyStaysHome?: true
  readonly baseUrlVariable?: string
  /** Its address where the environment tells it in another way. `name` is the model's. */
  readonly addressIn?: (environment: Environment, name: string) => string | undefined
  /** What to do where it has no address. */
  readonly addressAdvice?: string
  /** A model of it, for those who look for one. */
  readonly example: string
  /** What a key alone gets. */
  readonly defaultModel?: string
  /** Names by which its models are known without it. */
  readonly families: RegExp
  /** All its models are trained for its own tool calls. */
  readonly callsTools?: true
  /** What is known of its prompt cache. */
  readonly cache?: PromptCache
  /** How many stop strings it takes; more are kept by us alone. */
  readonly maxStops: number
  /** It tells what a reply took without being asked, and refuses to be asked. */
  readonly tellsUsage?: true
  /** The header that it wants its key in, where that is not `Authorization`. */
  readonly keyHeader?: string
  /** Loads its code, which is not loaded for others. */
  readonly load: () => Promise<OpenWireModel>
}
