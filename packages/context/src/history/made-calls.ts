import { parseReply } from '@mutsumi/react-text'
import {
  type AgentMessage,
  answeredCall,
  callsOf,
  isJsonObject,
  type JsonObject,
  parsedJson,
  textOf,
  toolNameOf,
} from '@mutsumi/schema'

/** A call that was made, and its recorded result. */
export interface MadeCall {
  readonly name: string
  readonly args: JsonObject
  /** Absent if the call was interrupted: its effect is unknown. */
  readonly result?: RecordedResult
}

export interface RecordedResult {
  readonly failed: boolean
  readonly data: JsonObject
  readonly error?: { readonly code: string; readonly message: string }
}

/** The calls of one round in the order in which they were answered, those without an answer last. */
export function madeCalls(steps: readonly AgentMessage[]): readonly MadeCall[] {
  const open = new OpenCalls()
  const made: MadeCall[] = []
  for (const step of steps) {
    if (step.role === 'assistant') open.ask(step)
    else if (step.role === 'tool') made.push(answered(step, open.take(step)))
  }
  return [...made, ...open.rest()]
}

type AskedCall = Pick<MadeCall, 'name' | 'args'>

interface CallQueue {
  readonly calls: AskedCall[]
  next: number
}

/** Calls that wait for their results. */
class OpenCalls {
  /** By id. If one step uses an id twice, its results come in the order of the calls. */
  readonly #named = new Map<string, CallQueue>()
  /** A step in the text form makes one call, and the next result answers it. */
  #text: AskedCall | undefined
  readonly #interrupted: AskedCall[] = []

  ask(step: AgentMessage): void {
    const calls = callsOf(step)
    this.#dropText()
    if (calls.length === 0) this.#text = textCall(step)
    const fresh = new Set<string>()
    for (const { id, name, args } of calls) {
      const known = this.#named.get(id)
      if (known && fresh.has(id)) known.calls.push({ name, args })
      else {
        if (known) this.#interrupt(known)
        this.#named.set(id, { calls: [{ name, args }], next: 0 })
      }
      fresh.add(id)
    }
  }

  /** The call that a result answers, if it is known. */
  take(result: AgentMessage): AskedCall | undefined {
    const id = answeredCall(result)
    const named = id === undefined ? undefined : this.#named.get(id)
    if (named && named.next < named.calls.length) return named.calls[named.next++]
    const text = this.#text
    this.#text = undefined
    return text
  }

  rest(): readonly AskedCall[] {
    this.#dropText()
    for (const queue of this.#named.values()) this.#interrupt(queue)
    return this.#interrupted
  }

  #interrupt({ calls, next }: CallQueue): void {
    for (const call of calls.slice(next)) this.#interrupted.push(call)
  }

  #dropText(): void {
    if (this.#text) this.#interrupted.push(this.#text)
    this.#text = undefined
  }
}

/**
 * A reply that was cut or not understood made no call, whatever its text says. The text beside native calls made none
 * either.
 */
function textCall(step: AgentMessage): AskedCall | undefined {
  if (step.metadata?.not_run !== undefined || step.metadata?.protocol === 'native') return undefined
  const reply = parseReply(textOf(step))
  return reply.kind === 'action' ? reply.call : undefined
}

function answered(step: AgentMessage, call: AskedCall | undefined): MadeCall {
  const asked = { name: toolNameOf(step) || (call?.name ?? ''), args: call?.args ?? {} }
  return step.metadata?.interrupted === true ? asked : { ...asked, result: recordedResult(textOf(step)) }
}

/** The content of a result in the history. A result that is not JSON only shows that there was one. */
function recordedResult(content: string): RecordedResult {
  const value = parsedJson(content)
  if (!isJsonObject(value)) return { failed: false, data: {} }
  const data = isJsonObject(value.data) ? value.data : {}
  if (value.status !== 'error') return { failed: false, data }
  const { code, message } = isJsonObject(value.error) ? value.error : { code: '', message: value.error }
  return { failed: true, data, error: { code: textOr(code, ''), message: textOr(message, 'failed') } }
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' && value !== '' ? value : other
}
