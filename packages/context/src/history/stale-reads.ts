import { type AgentMessage, answeredCall, callsOf, type JsonObject, stepOf, textOf } from '@mutsumi/schema'
import {
  type NewerVersion,
  type ReadTarget,
  type ResultHead,
  resultHead,
  staleness,
  stubOf,
  targetIn,
} from '../kept-results/stale-read.js'

/** A result of Read in the history. */
export interface KnownRead {
  readonly position: number
  readonly message: AgentMessage
  readonly head: ResultHead
  readonly target: ReadTarget
}

export interface StaleRead {
  readonly read: KnownRead
  /** One line that names the newer result. */
  readonly stub: AgentMessage
}

/**
 * Finds results of Read that newer ones replace: the same lines read again, the file changed between two reads, or
 * edited. Other lines of an unchanged file replace nothing.
 */
export class StaleReads {
  readonly #sent: (message: AgentMessage) => AgentMessage
  readonly #current = new Map<string, readonly KnownRead[]>()

  /** `sent`: a recorded message as it is sent. */
  constructor(sent: (message: AgentMessage) => AgentMessage) {
    this.#sent = sent
  }

  /** The results that the messages of round `cell` replace. Its first message is at position `start`. */
  roundEnds(round: readonly AgentMessage[], start: number, cell: number): readonly StaleRead[] {
    if (!round.some(isResult)) return none
    const stale: StaleRead[] = []
    const calls = new Map<string, JsonObject>()
    let position = start - 1
    for (const message of round) {
      position++
      for (const { id, args } of callsOf(message)) calls.set(id, args)
      if (message.role !== 'tool') continue
      const head = resultHead(message)
      const target = head && targetIn(head, message, calls.get(answeredCall(message) ?? ''))
      if (!target) continue
      const newer = { what: whatHappened[target.kind], round: cell + 1, step: stepOf(message) }
      for (const read of this.#replacedBy(target)) {
        const stub = this.#shorterStub(read, newer)
        if (stub) stale.push({ read, stub })
      }
      if (target.kind === 'read') this.#addCurrent({ position, message, head, target })
    }
    return stale
  }

  /** A few lines of code may be shorter than the line that would replace them. */
  #shorterStub(read: KnownRead, newer: NewerVersion): AgentMessage | undefined {
    const length = textOf(this.#sent(read.message)).length
    if (length <= staleness(newer).length) return undefined
    const stub = stubMessage(read, newer)
    return textOf(this.#sent(stub)).length < length ? stub : undefined
  }

  #replacedBy(target: ReadTarget): readonly KnownRead[] {
    const current = this.#current.get(target.path) ?? []
    const replaced = current.filter((read) => replaces(target, read.target))
    if (replaced.length === 0) return replaced
    this.#current.set(
      target.path,
      current.filter((read) => !replaced.includes(read)),
    )
    return replaced
  }

  #addCurrent(read: KnownRead): void {
    const { path } = read.target
    const current = this.#current.get(path) ?? []
    // A file read in very many pieces: the oldest of them stay as they are.
    this.#current.set(path, [...current.slice(-63), read])
  }
}

const none: readonly StaleRead[] = []

function isResult({ role }: AgentMessage): boolean {
  return role === 'tool'
}

const whatHappened = { read: 'read', edit: 'edited', write: 'written' } as const

function replaces(newer: ReadTarget, older: ReadTarget): boolean {
  if (newer.kind !== 'read') return true
  const changed = newer.mtime !== undefined && older.mtime !== undefined && newer.mtime !== older.mtime
  return changed || (firstLine(newer) <= firstLine(older) && lastLine(newer) >= lastLine(older))
}

const firstLine = ({ start = 1 }: ReadTarget) => start
const lastLine = ({ end = Number.POSITIVE_INFINITY }: ReadTarget) => end

function stubMessage({ message, head }: KnownRead, newer: NewerVersion): AgentMessage {
  const { role, metadata = {} } = message
  const { observation } = metadata
  const id = typeof observation === 'string' ? observation : undefined
  return { role, content: stubOf(head, { newer, observation: id }), metadata }
}
