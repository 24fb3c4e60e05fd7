import { chatProviders } from './chat-providers.js'
import type { Provider, ProviderName } from './provider.js'
import { loadAnthropic, loadGoogle, loadOpenAI } from './sdk-model.js'

export type { Provider, ProviderName } from './provider.js'

export const providers: Readonly<Record<ProviderName, Provider>> = {
  anthropic: {
    name: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariables: ['ANTHROPIC_API_KEY'],
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    example: 'claude-sonnet-5',
    defaultModel: 'claude-sonnet-5',
    families: /^claude-/,
    callsTools: true,
    maxStops: 16,
    load: loadAnthropic,
  },
  openai: {
    name: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
    baseUrlVariable: 'OPENAI_BASE_URL',
    example: 'gpt-5.5',
    defaultModel: 'gpt-5.5',
    families: /^(?:gpt-|chatgpt-|o\d)/,
    callsTools: true,
    // Its Responses API does not accept any.
    maxStops: 0,
    load: loadOpenAI,
  },
  google: {
    name: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    example: 'gemini-flash-latest',
    defaultModel: 'gemini-flash-latest',
    families: /^gemini-/,
    callsTools: true,
    maxStops: 5,
    load: loadGoogle,
  },
  ...chatProviders,
}

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(providers, name)
}

/** Every variable that may contain a key, ours first. */
export function keyVariablesOf({ keyVariables }: Provider): readonly string[] {
  return ['MUTSUMI_API_KEY', ...keyVariables]
}
