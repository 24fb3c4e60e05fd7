import { parseReply } from '@mutsumi/react-text'
import {
  type AgentMessage,
  answeredCall,
  callsOf,
  isJsonObject,
  type JsonObject,
  textOf,
  toolNameOf,
} from '@mutsumi/schema'

/** A call that was made, and what is recorded of its result. */
export interface MadeCall {
  readonly name: string
  readonly args: JsonObject
  /** Absent where it was interrupted: whether it took effect is unknown. */
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
  /** By id; where one step gives an id twice, its results come in the calls' order. */
  readonly #named = new Map<string, CallQueue>()
  /** A step in the text form asks for one call, and the result that follows answers it. */
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

/** A reply that was cut, or that was not understood, made no call, whatever it says; nor did a text beside native calls. */
function textCall(step: AgentMessage): AskedCall | undefined {
  if (step.metadata?.not_run !== undefined || step.metadata?.protocol === 'native') return undefined
  const reply = parseReply(textOf(step))
  return reply.kind === 'action' ? reply.call : undefined
}

function answered(step: AgentMessage, call: AskedCall | undefined): MadeCall {
  const asked = { name: toolNameOf(step) || (call?.name ?? ''), args: call?.args ?? {} }
  return step.metadata?.interrupted === true ? asked : { ...asked, result: recordedResult(textOf(step)) }
}

/** What a result in the history says; one that is no JSON says nothing but that it came. */
function recordedResult(content: string): RecordedResult {
  const value = parsed(content)
  if (!isJsonObject(value)) return { failed: false, data: {} }
  const data = isJsonObject(value.data) ? value.data : {}
  if (value.status !== 'error') return { failed: false, data }
  const { code, message } = isJsonObject(value.error) ? value.error : { code: '', message: value.error }
  return { failed: true, data, error: { code: textOr(code, ''), message: textOr(message, 'failed') } }
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' && value !== '' ? value : other
}
