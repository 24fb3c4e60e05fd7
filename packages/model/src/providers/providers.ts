import { loadAnthropic, loadGoogle, loadOpenAI } from './sdk-model.js'
import type { OpenWireModel } from './wire-model.js'

export type ProviderName = 'openai' | 'anthropic' | 'google' | 'openai-compatible'

export interface Provider {
  readonly name: ProviderName
  /** Absent where there is no usual place. */
  readonly baseUrl?: string
  /** The usual variables, in order. */
  readonly keyVariables: readonly string[]
  readonly baseUrlVariable?: string
  /** What a key alone gets. */
  readonly defaultModel?: string
  /** Names by which its models are known without it. */
  readonly families: RegExp
  /** How many stop strings it takes; more are kept by us alone. */
  readonly maxStops: number
  /** Loads its code, which is not loaded for others. */
  readonly load: () => Promise<OpenWireModel>
}

export const providers: Readonly<Record<ProviderName, Provider>> = {
  anthropic: {
    name: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariables: ['ANTHROPIC_API_KEY'],
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    defaultModel: 'claude-sonnet-5',
    families: /^claude-/,
    maxStops: 16,
    load: loadAnthropic,
  },
  openai: {
    name: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
    baseUrlVariable: 'OPENAI_BASE_URL',
    defaultModel: 'gpt-5.5',
    families: /^(?:gpt-|chatgpt-|o\d)/,
    // Its Responses API takes none.
    maxStops: 0,
    load: loadOpenAI,
  },
  google: {
    name: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    defaultModel: 'gemini-flash-latest',
    families: /^gemini-/,
    maxStops: 5,
    load: loadGoogle,
  },
  'openai-compatible': {
    name: 'openai-compatible',
    keyVariables: [],
    families: /^$/,
    maxStops: 4,
    load: async () => (await import('../chat/chat-model.js')).openChatModel(),
  },
}

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(providers, name)
}

/** Every variable that may hold a key, ours first. */
export function keyVariablesOf({ keyVariables }: Provider): readonly string[] {
  return ['MUTSUMI_API_KEY', ...keyVariables]
}
