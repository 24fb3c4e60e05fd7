import { type AgentMessage, type Role, textOf } from '@mutsumi/schema'
import type { SentResults } from '../sent-results/sent-results.js'
import { MessageList } from './message-list.js'
import type { Rewrite, Rewriter } from './rewriter.js'
import { followsText, viewedCallIds, wholeSteps } from './whole-steps.js'

/** The positions of a cell's messages: its own text, if it has one, and the end of its steps. */
export interface ViewedCell {
  /** A user's cell. */
  readonly beginsRound: boolean
  readonly message: number | undefined
  readonly start: number
  readonly end: number
}

/** The messages of a cell: its own text, if it is not blank, and the steps that answered it. */
export interface AddedCell {
  readonly role: Role | 'summary'
  readonly own: AgentMessage | undefined
  readonly steps: readonly AgentMessage[]
}

interface KnownCell extends ViewedCell {
  readonly added: AddedCell
  /** Its system messages, mostly summaries. No compaction removes them. */
  readonly standing: readonly AgentMessage[]
  /** The messages that this cell's round rewrote, older ones and its own. */
  readonly rewrites: readonly AppliedRewrite[]
}

/** A message of the history and its replacement. */
export interface AppliedRewrite extends Rewrite {
  readonly before: AgentMessage
}

/**
 * The messages of finished rounds as they are sent, in one growing list: calls and answers are paired, and results
 * that newer ones replaced are reduced to a line. Older messages are rewritten only when a round is added. Each cell
 * records what its round rewrote, so a view of fewer cells is the view that was sent then.
 */
export class HistoryView {
  readonly #newRewriter: () => Rewriter
  readonly #results: SentResults
  #rewriter: Rewriter
  #messages: AgentMessage[] = []
  /** The same as a persistent list. It is built on demand, so that a whole session is added at once. */
  #list = MessageList.empty
  #notListed: Rewrite[] = []
  #cells: KnownCell[] = []
  #callIds = viewedCallIds()
  #hasStanding = false

  constructor(newRewriter: () => Rewriter, results: SentResults) {
    this.#results = results
    this.#newRewriter = newRewriter
    this.#rewriter = newRewriter()
  }

  /** The known cells. A caller that holds an older list still sees cells that were forgotten since. */
  get cells(): readonly ViewedCell[] {
    return this.#cells
  }

  /** The messages of all cells. */
  get list(): MessageList {
    const known = this.#list.with(this.#notListed)
    this.#list = known.append(this.#messages.slice(known.length))
    this.#notListed = []
    return this.#list
  }

  add(added: AddedCell): void {
    const { role, own, steps } = added
    const start = this.#messages.length
    const said = own ? [this.#asSaid(own)] : []
    const round = said.concat(wholeSteps(steps, this.#callIds))
    for (const message of round) this.#messages.push(this.#results.sent(message))
    const standing = this.#messages.slice(start).filter(isSystem)
    if (standing.length > 0) this.#hasStanding = true
    const rewrites = this.#rewriter.roundEnds(round, start, this.#cells.length)
    const applied = rewrites.map((rewrite) => this.#apply(rewrite))
    const end = this.#messages.length
    const message = own ? start : undefined
    this.#cells.push({
      beginsRound: role === 'user',
      message,
      start,
      end,
      added,
      standing: standing.length === 0 ? none : standing,
      rewrites: applied,
    })
  }

  /** The steps of a running round as a request needs them: every call has an answer. */
  running(steps: readonly AgentMessage[]): readonly AgentMessage[] {
    const ids = this.#callIds.continued()
    return wholeSteps(steps, ids).map((step) => this.#results.sent(step))
  }

  /** Forgets the cells from `index` on. Their rewrites depend on all cells before them, so those are added again. */
  forgetFrom(index: number): void {
    if (index >= this.#cells.length) return
    const kept = this.#cells.slice(0, index)
    // New lists, because a build that is still running uses the old ones.
    this.#cells = []
    this.#messages = []
    this.#list = MessageList.empty
    this.#notListed = []
    this.#callIds = viewedCallIds()
    this.#rewriter = this.#newRewriter()
    for (const { added } of kept) this.add(added)
  }

  /**
   * The messages of the cells from `start` up to, but not including, `end`, as they are when `end` is built. The
   * caller owns the list.
   */
  messages(start: number, end: number): AgentMessage[] {
    const from = start === 0 ? 0 : (this.#cells[start - 1]?.end ?? this.#messages.length)
    const to = end === 0 ? 0 : (this.#cells[end - 1]?.end ?? this.#messages.length)
    const later = this.#cells.slice(end)
    if (!later.some(({ rewrites }) => rewrites.length > 0)) return this.#messages.slice(from, to)
    return undone(this.#messages, later).slice(from, to)
  }

  /** Summaries and other system messages of the cells from `start` up to `end`. They stay when everything else leaves. */
  standing(start: number, end: number): readonly AgentMessage[] {
    return this.#hasStanding ? this.#cells.slice(start, end).flatMap(({ standing }) => standing) : none
  }

  /** The rewrites that the rounds before `end` made in the messages of the cells from `start` on, one by one. */
  rewrites(start: number, end: number): readonly AppliedRewrite[] {
    const from = this.#cells[start]?.start ?? this.#messages.length
    return this.#cells
      .slice(0, end)
      .flatMap(({ rewrites }) => rewrites.filter(({ position }) => position >= from))
  }

  /**
   * A result in a cell of its own has no call. If it does not follow the text that asked for it, it becomes a user's
   * text.
   */
  #asSaid(own: AgentMessage): AgentMessage {
    if (own.role !== 'tool' || followsText(this.#messages.at(-1))) return own
    const content = `Result of a tool:\n${textOf(this.#results.sent(own))}`
    return Object.freeze({ role: 'user', content })
  }

  #apply({ position, message: recorded }: Rewrite): AppliedRewrite {
    const message = this.#results.sent(recorded)
    const before = this.#messages[position]
    if (!before) throw new RangeError(`no message ${position} to rewrite`)
    this.#messages[position] = message
    if (position < this.#list.length) this.#notListed.push({ position, message })
    return { position, message, before }
  }
}

const none: readonly AgentMessage[] = []

function isSystem({ role }: AgentMessage): boolean {
  return role === 'system'
}

/** The messages before the rewrites of these cells. */
function undone(messages: readonly AgentMessage[], cells: readonly KnownCell[]): AgentMessage[] {
  const before = [...messages]
  for (const { rewrites } of [...cells].reverse())
    for (const { position, before: message } of [...rewrites].reverse()) before[position] = message
  return before
}
