import { isJsonObject, type JsonObject } from '@mutsumi/schema'
import type { ProviderName } from '../providers/provider.js'

export interface LocalServer {
  /** `Ollama`, `LM Studio`, `llama.cpp`. */
  readonly name: string
  /** The provider for it; `openai-compatible` if it has none of its own. */
  readonly provider: ProviderName
  readonly baseUrl: string
  readonly models: readonly LocalModel[]
}

export interface LocalModel {
  readonly id: string
  /** Present if the server reports it. */
  readonly contextWindow?: number
}

export interface LocalServerOptions {
  /** The usual ports, if not given. */
  readonly ports?: readonly ServerPort[]
  readonly timeoutMs?: number
}

/** The address of a server, if it is running. */
interface ServerPort {
  readonly name: string
  readonly port: number
  readonly provider?: ProviderName
}

const usualPorts = [
  { name: 'Ollama', port: 11434, provider: 'ollama' },
  { name: 'LM Studio', port: 1234, provider: 'lmstudio' },
  { name: 'llama.cpp', port: 8080 },
] as const

/** The model servers that run on this machine and offer a model. All are asked at once, with a short timeout. */
export async function findLocalServers({
  ports = usualPorts,
  timeoutMs = 250,
}: LocalServerOptions = {}): Promise<readonly LocalServer[]> {
  const found = await Promise.all(ports.map((port) => serverAt(port, timeoutMs)))
  return found.filter((server) => server !== undefined)
}

async function serverAt(
  { name, port, provider = 'openai-compatible' }: ServerPort,
  timeoutMs: number,
): Promise<LocalServer | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`
  const { httpFetch } = await import('../wire/http-fetch.js')
  // One limit for the whole answer: a server that sends it very slowly is not worth waiting for.
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), timeoutMs)
  try {
    const timeouts = {
      connectMs: timeoutMs,
      firstByteMs: timeoutMs,
      firstContentMs: timeoutMs,
      idleMs: timeoutMs,
      endingMs: timeoutMs,
    }
    const request = { method: 'GET', url: `${baseUrl}/models`, signal: stop.signal } as const
    const reply = await httpFetch(request, { timeouts, maxBytes: 1024 * 1024 })
    const models = reply.status === 200 ? modelsOf(JSON.parse(await reply.text())) : []
    if (reply.status !== 200) reply.cancel()
    return models.length === 0 ? undefined : { name, provider, baseUrl, models }
  } catch {
    // Nothing is listening, or another program is: there is no server to offer.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

function modelsOf(body: unknown): LocalModel[] {
  if (!isJsonObject(body) || !Array.isArray(body.data)) return []
  return body.data.filter(isJsonObject).flatMap((model: JsonObject) => {
    const { id } = model
    // These models cannot chat.
    if (typeof id !== 'string' || /embed|rerank|whisper/i.test(id)) return []
    const window = windowOf(model)
    return [{ id, ...(window !== undefined && { contextWindow: window }) }]
  })
}

/** LM Studio, vLLM and llama.cpp each use another name for it. */
function windowOf(model: JsonObject): number | undefined {
  const meta = isJsonObject(model.meta) ? model.meta : {}
  const names = [model.loaded_context_length, model.max_model_len, model.context_length, meta.n_ctx]
  return names.find((size): size is number => typeof size === 'number' && size > 0)
}
