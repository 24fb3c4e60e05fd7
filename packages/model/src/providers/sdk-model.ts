import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ModelRequest } from '@mutsumi/schema'
import { toProviderMessages } from '../messages/to-provider-messages.js'
import type { OpenWireModel, WireModel, WireSettings } from './wire-model.js'

/** Given none, the SDK would look for one in the environment of the process by itself. */
const noKey = 'none'

interface SdkSettings {
  readonly baseURL: string
  readonly apiKey: string
  readonly fetch: typeof globalThis.fetch
}

/** The providers of the AI SDK. Only the one that is used is loaded: each costs about 40 ms of a short run. */
export async function loadOpenAI(): Promise<OpenWireModel> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  return (settings) => sdkModel(createOpenAI(sdkSettings(settings)).responses(settings.name))
}

export async function loadAnthropic(): Promise<OpenWireModel> {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  return (settings) => sdkModel(createAnthropic(sdkSettings(settings))(settings.name), { cacheMarks: true })
}

export async function loadGoogle(): Promise<OpenWireModel> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  return (settings) => sdkModel(createGoogleGenerativeAI(sdkSettings(settings))(settings.name))
}

function sdkSettings({ baseUrl, apiKey, exchange }: WireSettings): SdkSettings {
  return { baseURL: baseUrl, apiKey: apiKey || noKey, fetch: exchange.fetch }
}

/** `cacheMarks`: the provider wants to be told what to keep in its prompt cache. */
function sdkModel(model: LanguageModelV3, { cacheMarks = false } = {}): WireModel {
  return {
    stream: async (request, signal) => {
      const { stream } = await model.doStream(callOptions(request, { signal, cacheMarks }))
      return stream.getReader()
    },
  }
}

function callOptions(
  request: ModelRequest,
  { signal, cacheMarks }: { signal: AbortSignal; cacheMarks: boolean },
): LanguageModelV3CallOptions {
  const { tools = [], stop = [], maxOutputTokens } = request
  return {
    prompt: toProviderMessages(request, { cacheMarks }),
    abortSignal: signal,
    includeRawChunks: true,
    // Nothing is kept there: every request is whole.
    providerOptions: { openai: { store: false } },
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters,
      })),
    }),
    ...(stop.length > 0 && { stopSequences: [...stop] }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
}
