import {
  type AgentMessage,
  answeredCall,
  callsOf,
  type ModelRequest,
  type RecordedCall,
} from '@mutsumi/schema'
import {
  actionPart,
  calledParts,
  resultParts,
  saidResult,
  saidSystem,
  spelledParts,
  textParts,
  userParts,
} from './message-parts.js'
import type { Turn, TurnPart } from './turn.js'

/**
 * Converts the messages of a request to turns that every provider accepts. With tools, calls and results are native;
 * without, they are text of the ReAct protocol:
 *
 *     assistant  Thought: … Action: Read[{…}]        assistant  Thought: … Action: Read[{…}]
 *     tool       {"status":"success",…}         →    user       [tool] {"status":"success",…}
 *
 * A native step may have several calls, but a text reply has one action. So each call is written before its own
 * result.
 */
export class Turns {
  readonly all: Turn[] = []
  /** How many messages came before each turn. */
  readonly #starts: number[] = []
  #messages = 0
  readonly #native: boolean
  /** Calls of the last step that have no result yet. */
  readonly #open = new Set<string>()
  /** In text: further calls of the last step, each to be written before its result. */
  #unspelled: RecordedCall[] = []

  constructor({ tools }: ModelRequest) {
    this.#native = tools !== undefined && tools.length > 0
  }

  add(message: AgentMessage): void {
    this.#take(message)
    this.#messages++
  }

  /**
   * Removes turns until nothing is left of message number `position` and those after it. Returns the number of the
   * message to continue with: an assistant's message that does not depend on earlier ones, or the first message.
   */
  backTo(position: number): number {
    const first = this.all.findLastIndex(
      ({ role }, index) => role === 'assistant' && (this.#starts[index] ?? 0) < position,
    )
    this.#messages = this.#starts[first] ?? 0
    this.all.length = this.#starts.length = Math.max(first, 0)
    this.#open.clear()
    this.#unspelled = []
    return this.#messages
  }

  /** After the last part so far. */
  markCache(): void {
    const parts: (readonly TurnPart[])[] = this.all.at(-1)?.parts ?? []
    const newest = parts.at(-1)
    const part = newest?.at(-1)
    if (newest && part) parts[parts.length - 1] = [...newest.slice(0, -1), { ...part, cacheMark: true }]
  }

  #take(message: AgentMessage): void {
    if (message.role !== 'tool') this.#spell(this.#unspelled.splice(0))
    switch (message.role) {
      case 'system':
        return this.#system(message)
      case 'user':
        return this.#append('user', userParts(message))
      case 'assistant':
        return this.#assistant(message)
      case 'tool':
        return this.#result(message)
      default:
        return message.role satisfies never
    }
  }

  /** All providers accept system messages only at the beginning. A later one is sent as a user message with a label. */
  #system(message: AgentMessage): void {
    // Neighbours of one role are one turn, so only the first must be checked.
    const isFirst = this.all.length === 0 || (this.all.length === 1 && this.all[0]?.role === 'system')
    if (isFirst) this.#append('system', textParts(message.content))
    else this.#append('user', saidSystem(message))
  }

  #assistant(message: AgentMessage): void {
    this.#open.clear()
    if (!this.#native) {
      const { parts, further } = spelledParts(message)
      this.#append('assistant', parts)
      this.#unspelled = [...further]
      return
    }
    const calls = callsOf(message)
    for (const { id } of calls) this.#open.add(id)
    this.#append('assistant', calledParts(message, calls))
  }

  #result(message: AgentMessage): void {
    const id = answeredCall(message)
    const due = this.#unspelled.findIndex((call) => call.id === id)
    if (due !== -1) this.#spell(this.#unspelled.splice(due, 1))
    // A result without a call in the previous step would be refused, so it is sent as a user's text.
    if (this.#native && id !== undefined && this.#open.delete(id))
      this.#append('tool', resultParts(message, id))
    else this.#append('user', saidResult(message))
  }

  /** Calls that are not part of their step's text. */
  #spell(calls: readonly RecordedCall[]): void {
    if (calls.length === 0) return
    const turns = this.all.length
    this.#append('assistant', calls.map(actionPart))
    // It is not possible to go back to a turn that depends on the messages before it.
    if (this.all.length > turns) this.#starts[turns] = Number.NaN
  }

  #append<R extends Turn['role']>(role: R, parts: Extract<Turn, { role: R }>['parts'][number]): void {
    if (parts.length === 0) return
    const last = this.all.at(-1)
    // The parts of a turn always have the type for its role, because both are created only here.
    if (last?.role === role) (last.parts as unknown[]).push(parts)
    else {
      this.all.push({ role, parts: [parts] } as unknown as Turn)
      this.#starts.push(this.#messages)
    }
  }
}
