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
 * The rich messages of a request in turns, as every provider takes them. With tools, calls and results are native;
 * without, they are the text of the ReAct protocol:
 *
 *     assistant  Thought: … Action: Read[{…}]        assistant  Thought: … Action: Read[{…}]
 *     tool       {"status":"success",…}         →    user       [tool] {"status":"success",…}
 *
 * A native step may have several calls, and a text reply has one action: so each is spelled before its own result.
 */
export class Turns {
  readonly all: Turn[] = []
  /** How many messages came before each turn. */
  readonly #starts: number[] = []
  #messages = 0
  readonly #native: boolean
  /** Calls of the last step that have no result yet. */
  readonly #open = new Set<string>()
  /** In text: further calls of the last step, each to be spelled before its result. */
  #unspelled: RecordedCall[] = []

  constructor({ tools }: ModelRequest) {
    this.#native = tools !== undefined && tools.length > 0
  }

  add(message: AgentMessage): void {
    this.#take(message)
    this.#messages++
  }

  /**
   * Takes back turns until nothing is left of message number `position` and those behind it; answers with the number
   * of the message to go on with. That is an assistant's, which owes nothing to what came before it, or the first.
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

  /** Only the beginning takes system messages everywhere; a later one is said by the user, and says what it is. */
  #system(message: AgentMessage): void {
    // Neighbours of one role are one turn, so there is only the first to look at.
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
    // A result that answers no call of the step before it would be refused: it is said instead.
    if (this.#native && id !== undefined && this.#open.delete(id))
      this.#append('tool', resultParts(message, id))
    else this.#append('user', saidResult(message))
  }

  /** Calls that the text of their step does not spell. */
  #spell(calls: readonly RecordedCall[]): void {
    if (calls.length === 0) return
    const turns = this.all.length
    this.#append('assistant', calls.map(actionPart))
    // Nobody goes back to a turn that owes something to the messages before it.
    if (this.all.length > turns) this.#starts[turns] = Number.NaN
  }

  #append<R extends Turn['role']>(role: R, parts: Extract<Turn, { role: R }>['parts'][number]): void {
    if (parts.length === 0) return
    const last = this.all.at(-1)
    // One turn's parts are of its role's type: the two are only ever made together, here.
    if (last?.role === role) (last.parts as unknown[]).push(parts)
    else {
      this.all.push({ role, parts: [parts] } as unknown as Turn)
      this.#starts.push(this.#messages)
    }
  }
}
