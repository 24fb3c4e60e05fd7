import { type Model, type ModelEvent, type ModelFault, type ModelRequest, textOf } from '@mutsumi/schema'
import { cancelled } from '../faults/fault-error.js'
import { estimatedUsage } from '../reply/estimated-usage.js'
import { TextGate } from '../reply/text-gate.js'
import { readScript, type Script, scriptFault } from './script.js'
import type { ScriptedReply } from './scripted-reply.js'

/** A model that plays the replies of a file, for tests and demos. If the script is invalid, every request fails. */
export async function openScriptedModel(path: string): Promise<Model> {
  return new ScriptedModel(path, await readScript(path))
}

class ScriptedModel implements Model {
  readonly name: string
  readonly contextWindow?: number
  readonly callsTools: boolean
  readonly cache = { minutes: 0 }
  readonly #path: string
  readonly #script: Script | ModelFault
  #asked = 0

  constructor(path: string, script: Script | ModelFault) {
    this.name = `scripted:${path}`
    this.#path = path
    this.#script = script
    this.callsTools = 'replies' in script && script.callsTools
    if ('replies' in script && script.contextWindow !== undefined) this.contextWindow = script.contextWindow
  }

  async *stream(
    request: ModelRequest,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<ModelEvent> {
    if (!('replies' in this.#script)) return yield { type: 'fault', fault: this.#script }
    // Counted before any await, so that concurrent requests get their replies in order.
    const reply = this.#script.replies[this.#asked++]
    const problem = reply ? unexpected(reply, request) : this.#runOut(this.#script.replies.length)
    if (problem !== undefined) return yield { type: 'fault', fault: scriptFault(this.#path, problem) }
    if (reply) yield* play(reply, request, signal)
  }

  #runOut(replies: number): string {
    const count = replies === 1 ? 'one reply' : `${replies} replies`
    return `the script has ${count}, but this is request ${this.#asked}; add a reply for it`
  }
}

async function* play(
  reply: ScriptedReply,
  request: ModelRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelEvent> {
  const gate = new TextGate({ stops: request.stop ?? [] })
  let said = reply.reasoning
  await pause(reply.delayMs, signal)
  if (reply.reasoning !== '' && !signal?.aborted) yield { type: 'reasoning', text: reply.reasoning }
  for (const chunk of reply.chunks) {
    await pause(chunk.delayMs, signal)
    if (signal?.aborted) return yield { type: 'fault', fault: cancelled().fault }
    const text = gate.push(chunk.text)
    said += text
    if (text !== '') yield { type: 'text', text }
  }
  const rest = gate.end()
  if (rest !== '') yield { type: 'text', text: rest }
  if (!gate.stopped) for (const call of reply.calls) yield { type: 'call', call }
  if ('hang' in reply.ends) await pause(Number.POSITIVE_INFINITY, signal)
  if (signal?.aborted) return yield { type: 'fault', fault: cancelled().fault }
  if ('fault' in reply.ends) return yield { type: 'fault', fault: reply.ends.fault }
  yield { type: 'usage', usage: reply.usage ?? estimatedUsage(request, said + rest + callsText(reply)) }
  if ('reason' in reply.ends) yield { type: 'end', reason: gate.stopped ? 'stop' : reply.ends.reason }
}

function callsText({ calls }: ScriptedReply): string {
  return calls.length === 0 ? '' : JSON.stringify(calls)
}

/** An expected text that the request does not contain. */
function unexpected({ expect }: ScriptedReply, { messages }: ModelRequest): string | undefined {
  if (expect.length === 0) return undefined
  const text = messages.map((message) => `[${message.role}] ${textOf(message)}`).join('\n\n')
  const missing = expect.find((wanted) =>
    typeof wanted === 'string' ? !text.includes(wanted) : !wanted.test(text),
  )
  if (missing === undefined) return undefined
  const wanted = typeof missing === 'string' ? JSON.stringify(missing) : String(missing)
  return `the request does not contain ${wanted}; it ends with ${JSON.stringify(text.slice(-300))}`
}

/** Waits this many milliseconds, or until the request is cancelled. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  if (milliseconds === 0 || signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    // Waits forever. Timers accept at most 31 bits, so the timer is set repeatedly.
    const timer = Number.isFinite(milliseconds)
      ? setTimeout(end, milliseconds)
      : setInterval(() => undefined, 2 ** 30)
    signal?.addEventListener('abort', end)
  })
}
