import type { LanguageModelV3 } from '@ai-sdk/provider'

export interface WireSettings {
  /** The model's name at its provider. */
  readonly name: string
  readonly baseUrl: string
  /** Empty where none is needed. */
  readonly apiKey: string
  /** Whether the server is asked to count, where that is asked for. */
  readonly includeUsage: boolean
  readonly fetch: typeof globalThis.fetch
}

/** A provider of the AI SDK. Only the one that is used is loaded: each costs about 40 ms of a short run. */
export type OpenWireModel = (settings: WireSettings) => LanguageModelV3

/** Given none, the SDK would look for one in the environment of the process by itself. */
const noKey = 'none'

export async function loadOpenAI(): Promise<OpenWireModel> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  return ({ name, baseUrl, apiKey, fetch }) =>
    createOpenAI({ baseURL: baseUrl, apiKey: apiKey || noKey, fetch }).responses(name)
}

export async function loadAnthropic(): Promise<OpenWireModel> {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  return ({ name, baseUrl, apiKey, fetch }) =>
    createAnthropic({ baseURL: baseUrl, apiKey: apiKey || noKey, fetch })(name)
}

export async function loadGoogle(): Promise<OpenWireModel> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  return ({ name, baseUrl, apiKey, fetch }) =>
    createGoogleGenerativeAI({ baseURL: baseUrl, apiKey: apiKey || noKey, fetch })(name)
}

export async function loadOpenAICompatible(): Promise<OpenWireModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return ({ name, baseUrl, apiKey, includeUsage, fetch }) =>
    createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: baseUrl,
      ...(apiKey !== '' && { apiKey }),
      includeUsage,
      fetch,
    })(name)
}
