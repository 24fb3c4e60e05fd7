import { type AgentMessage, callsOf, type Role, textOf } from '@mutsumi/schema'
import type { SentResults } from '../sent-results/sent-results.js'
import { MessageList } from './message-list.js'
import { HistoryRewrites, type Rewrite } from './rewrites.js'
import { StaleReads } from './stale-reads.js'
import { followsText, viewedCallIds, wholeSteps } from './whole-steps.js'

/** The positions of a cell's messages: its own text, if it has one, and the end of its steps. */
export interface ViewedCell {
  /** A user's cell. */
  readonly beginsRound: boolean
  readonly message: number | undefined
  readonly start: number
  readonly end: number
  /** How many rounds there are up to and including this cell. A history may begin in the middle of one. */
  readonly rounds: number
}

/** The messages of a cell: its own text, if it is not blank, and the steps that answered it. */
export interface AddedCell {
  readonly role: Role | 'summary'
  readonly own: AgentMessage | undefined
  readonly steps: readonly AgentMessage[]
  /** How its requests show the messages before it: so many of the newest are short. Absent: all. */
  readonly shortened?: number | undefined
}

/** The facts that are kept of a cell that is left out. */
export interface LeftCell extends Pick<AddedCell, 'role'> {
  /** The ids of its calls, in order. */
  readonly calls: readonly string[]
  /** Its system messages, mostly summaries. No compaction removes them. */
  readonly system: readonly AgentMessage[]
}

export function leftCell({ role, own, steps }: AddedCell): LeftCell {
  const system = [...(own ? [own] : []), ...steps].filter(isSystem)
  return { role, calls: callIdsIn(steps), system }
}

interface KnownCell extends ViewedCell {
  /** Undefined for a cell that left the view: nothing of it is held. */
  readonly added: AddedCell | undefined
  /** Its system messages, mostly summaries. No compaction removes them. */
  readonly system: readonly AgentMessage[]
}

export interface HistoryViewParts {
  readonly results: SentResults
  /** A result as its round saw it, by its Recall id; undefined if it no longer exists. */
  readonly observation?: ((id: string) => string | undefined) | undefined
  /** Whether results of Read that newer ones replace become one line. */
  readonly stubs?: boolean
}

/**
 * The messages of finished rounds as they are sent, one list that grows: calls and answers in pairs. A result enters as its
 * round saw it. A shorter form of it waits until the requests of a later cell show it, as the facts of that cell say.
 * So a view of fewer cells is the view that was sent then.
 *
 * Cells at the beginning may leave the view, because a compaction hides them. Then only their number, their system
 * messages and the ids of their calls are held, and the positions of all others begin with 0 again.
 */
export class HistoryView {
  readonly #parts: HistoryViewParts
  /** Each in its shortest form, whether that is shown already or still waits. */
  #messages: AgentMessage[] = []
  #rewrites = new HistoryRewrites()
  #stale: StaleReads
  /** The same as a persistent list. It is built on demand, so that a whole session is added at once. */
  #list = MessageList.empty
  #notListed: { readonly position: number; readonly message: AgentMessage }[] = []
  #cells: KnownCell[] = []
  #left = 0
  /** The ids of the calls of the cells that left. */
  #leftIds = viewedCallIds()
  #callIds = this.#leftIds.continued()
  #hasSystem = false
  /** Results in full that are shown: the same objects in every request. */
  #wholes = new Map<number, AgentMessage>()

  constructor(parts: HistoryViewParts) {
    this.#parts = parts
    this.#stale = this.#newStaleReads()
  }

  /** The known cells. A caller that holds an older list still sees cells that were forgotten since. */
  get cells(): readonly ViewedCell[] {
    return this.#cells
  }

  /** How many cells have left the view. */
  get left(): number {
    return this.#left
  }

  /** The number of messages of all cells in the view. */
  get length(): number {
    return this.#messages.length
  }

  /** The messages of all cells in the view. */
  get list(): MessageList {
    const known = this.#list.with(this.#notListed)
    this.#list = known.append(this.#shown(known.length, this.length, this.#waiting()))
    this.#notListed = []
    return this.#list
  }

  /** The requests of the cell that comes next show so many of the newest messages short; absent: all. */
  begin(shortened?: number): void {
    const done = this.#rewrites.carryOut(this.#cells.length, this.#shortFrom(shortened))
    for (const { position } of done) {
      this.#wholes.delete(position)
      const message = this.#messages[position]
      if (message && position < this.#list.length) this.#notListed.push({ position, message })
    }
  }

  add(added: AddedCell): void {
    const { role, own, steps, shortened } = added
    // Only a user's message is answered by requests.
    if (role === 'user') this.begin(shortened)
    const start = this.#messages.length
    const whole = wholeSteps(steps, this.#callIds)
    const round = own ? [this.#asSaid(own), ...whole] : whole
    for (const message of round) this.#messages.push(this.#parts.results.sent(message))
    const system = round.some(isSystem) ? this.#messages.slice(start).filter(isSystem) : none
    if (system.length > 0) this.#hasSystem = true
    this.#endRound(round, start)
    this.#cells.push({
      beginsRound: role === 'user',
      rounds: this.#roundsWith(role),
      message: own ? start : undefined,
      start,
      end: this.#messages.length,
      added,
      system,
    })
  }

  /** Adds a cell that is left out from the start, after others that have left. */
  addLeft({ role, calls, system }: LeftCell): void {
    for (const id of calls) this.#leftIds.take(id)
    this.#pushLeft({ beginsRound: role === 'user', rounds: this.#roundsWith(role), system })
  }

  /** The first `count` cells leave the view, and everything made of them is released. */
  leave(count: number): void {
    if (count <= this.#left) return
    const known = this.#cells
    this.#cells = known.slice(0, this.#left)
    for (const cell of known.slice(this.#left, count)) {
      for (const id of callIdsIn(this.#messages.slice(cell.start, cell.end))) this.#leftIds.add(id)
      this.#pushLeft(cell)
    }
    this.#addAgain(known.slice(count))
  }

  /** The steps of a running round as a request needs them: every call has an answer. */
  running(steps: readonly AgentMessage[]): readonly AgentMessage[] {
    const ids = this.#callIds.continued()
    return wholeSteps(steps, ids).map((step) => this.#parts.results.sent(step))
  }

  /**
   * Forgets the cells from `index` on. Their rewrites depend on all cells before them, so those are added again. If a cell
   * that left is forgotten, all are.
   */
  forgetFrom(index: number): void {
    if (index >= this.#cells.length) return
    const kept = this.#cells.slice(this.#left, index)
    if (index < this.#left) {
      this.#left = 0
      this.#leftIds = viewedCallIds()
    }
    this.#cells = this.#cells.slice(0, this.#left)
    this.#addAgain(kept)
  }

  #addAgain(cells: readonly KnownCell[]): void {
    // New lists, because a build that is still running uses the old ones.
    this.#messages = []
    this.#list = MessageList.empty
    this.#notListed = []
    this.#callIds = this.#leftIds.continued()
    this.#rewrites = new HistoryRewrites()
    this.#stale = this.#newStaleReads()
    this.#wholes = new Map()
    for (const { added } of cells) if (added) this.add(added)
  }

  #pushLeft({ beginsRound, rounds, system }: Pick<KnownCell, 'beginsRound' | 'rounds' | 'system'>): void {
    if (system.length > 0) this.#hasSystem = true
    this.#cells.push({
      ...{ beginsRound, rounds, message: undefined, start: 0, end: 0, added: undefined },
      system: system.length === 0 ? none : system,
    })
    this.#left = this.#cells.length
  }

  #roundsWith(role: AddedCell['role']): number {
    const before = this.#cells.at(-1)
    return (before?.rounds ?? 0) + (role === 'user' || !before ? 1 : 0)
  }

  /**
   * The messages of the cells from `start` up to and without `end`, as the requests of cell `end` show them. The caller
   * owns the list. `shortened` is a fact of that cell, if it is not known yet.
   */
  messages(start: number, end: number, shortened?: number): AgentMessage[] {
    const from = this.#endOf(start)
    const to = this.#endOf(end)
    const isNewest = end >= this.#cells.length
    const long = isNewest
      ? this.#rewrites.waitingBefore(this.#shortFrom(shortened))
      : this.#rewrites.notShownAt(end)
    return this.#shown(from, to, long)
  }

  /** Rewrites from position `from` on that the next requests may show: each really is another form. */
  waiting(from: number): readonly Rewrite[] {
    this.#dropNothing()
    return this.#waiting().filter(({ position }) => position >= from)
  }

  /** The messages from a position on, without the rewrites that wait. */
  longFrom(position: number): AgentMessage[] {
    return this.#shown(position, this.length, this.#waiting())
  }

  /** The first message that the next requests show shorter than the last ones did. */
  firstRewritten(shortened: number | undefined): number | undefined {
    this.#dropNothing()
    return this.#rewrites.firstWaiting(this.#shortFrom(shortened))
  }

  /** Summaries and other system messages of the cells from `start` up to `end`. They stay when everything else leaves. */
  systemMessages(start: number, end: number): readonly AgentMessage[] {
    return this.#hasSystem ? this.#cells.slice(start, end).flatMap(({ system }) => system) : none
  }

  /** Results from the cells from `start` on that the requests of cell `end` show as lines. */
  stubs(start: number, end: number, shortened?: number): readonly Rewrite[] {
    const from = this.#endOf(start)
    const isNewest = end >= this.#cells.length
    const short = isNewest ? this.#shortFrom(shortened) : Number.POSITIVE_INFINITY
    const shown = [
      ...this.#rewrites.shownAt(end),
      ...this.#waiting().filter(({ position }) => position >= short),
    ]
    return shown.filter(({ kind, position }) => kind === 'stub' && position >= from)
  }

  #dropNothing(): void {
    this.#rewrites.drop((rewrite) => rewrite.before() === rewrite.message)
  }

  #waiting(): readonly Rewrite[] {
    return this.#rewrites.waitingBefore(Number.POSITIVE_INFINITY)
  }

  #shortFrom(shortened: number | undefined): number {
    return shortened === undefined ? 0 : Math.max(0, this.#messages.length - shortened)
  }

  #endOf(cell: number): number {
    return cell === 0 ? 0 : (this.#cells[cell - 1]?.end ?? this.#messages.length)
  }

  /** The messages from one position to another, with these rewrites not carried out. */
  #shown(from: number, to: number, long: readonly Rewrite[]): AgentMessage[] {
    const shown = this.#messages.slice(from, to)
    // A message may wait for two: the older one knows the older form.
    for (const { position, before } of long.toReversed())
      if (position >= from && position < to) shown[position - from] = before()
    return shown
  }

  #endRound(round: readonly AgentMessage[], start: number): void {
    const due = this.#cells.length
    for (const [index, message] of round.entries()) {
      if (message.role !== 'tool' || typeof message.metadata?.observation !== 'string') continue
      const position = start + index
      const shown = this.#messages[position]
      if (!shown) continue
      const before = () => this.#whole(position, message) ?? shown
      this.#rewrites.add({ position, kind: 'cut', due, message: shown, before })
    }
    if (this.#parts.stubs === false) return
    for (const { read, stub } of this.#stale.roundEnds(round, start, due)) {
      const { position } = read
      const known = this.#messages[position]
      const message = this.#parts.results.sent(stub)
      if (!known) continue
      this.#messages[position] = message
      this.#rewrites.add({ position, kind: 'stub', due, message, before: () => known })
    }
  }

  /** The full result, if it still exists and is longer than the kept one. */
  #whole(position: number, message: AgentMessage): AgentMessage | undefined {
    const known = this.#wholes.get(position)
    if (known) return known
    const id = message.metadata?.observation
    const content = typeof id === 'string' ? this.#parts.observation?.(id) : undefined
    if (content === undefined || content.length <= message.content.length) return undefined
    const whole = this.#parts.results.sent({ ...message, content })
    this.#wholes.set(position, whole)
    return whole
  }

  /**
   * A result in a cell of its own has no call. If it does not follow the text that asked for it, it becomes a user's
   * text.
   */
  #asSaid(own: AgentMessage): AgentMessage {
    if (own.role !== 'tool' || followsText(this.#messages.at(-1))) return own
    const content = `Result of a tool:\n${textOf(this.#parts.results.sent(own))}`
    return Object.freeze({ role: 'user', content })
  }

  #newStaleReads(): StaleReads {
    return new StaleReads((message) => this.#parts.results.sent(message))
  }
}

const none: readonly AgentMessage[] = []

function callIdsIn(messages: readonly AgentMessage[]): readonly string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [] : callsOf(message).map(({ id }) => id)))
}

function isSystem({ role }: AgentMessage): boolean {
  return role === 'system'
}
