import {
  type AgentMessage,
  type CellDigest,
  type CompactionAct,
  digestOf,
  type GivenItems,
  type SessionCell,
} from '@mutsumi/schema'
import type { MacroContext } from '../documents/macro-context.js'
import type { TokenCounter } from '../ground/ports.js'
import type { ContextSettings } from '../ground/settings.js'
import { MessageTokens } from '../ground/token-estimate.js'
import { activeCompactions } from '../history/active-compactions.js'
import type { CacheState } from '../history/cache-state.js'
import {
  addedCell,
  addedWithoutResults,
  messagesIn,
  recordedShortened,
  roleOf,
} from '../history/cell-messages.js'
import { CompactedHistory, type CompactedMessages, hiddenCells } from '../history/compacted-history.js'
import { HistoryView, type HistoryViewParts, leftCell } from '../history/history-view.js'
import { shortenedCount } from '../history/shortened.js'
import type { SummaryRoom } from '../history/shown-summaries.js'
import { planRecap } from './accepted-plan.js'
import { type GivenCell, recordedGiven } from './given-items.js'
import { JournalMacros, type MacroChange } from './journal-macros.js'
import { type Mention, readPrompt } from './mentions.js'
import { isTodoList, newestRecap, unfinishedRecap } from './todo-recap.js'

/** An active mention, with the first and the newest cell that contain it. */
export interface PlacedMention {
  readonly mention: Mention
  readonly cell?: number
  readonly lastCell?: number
}

/** The history before one cell. */
export interface HistoryPrefix extends CompactedMessages {
  /** In order of first mention. */
  readonly mentions: ReadonlyMap<string, PlacedMention>
  readonly macros: MacroContext
  /** The recap of the newest todo list, while it is unfinished. Rounds that a compaction left out count too. */
  readonly todo: string
  /** Mentions that occur only in cells that a compaction left out. */
  readonly hiddenMention: (id: string) => PlacedMention | undefined
  /** The number of the newest messages before the request that it shows in short form. Undefined: all. */
  readonly shortened: number | undefined
  /** The first of `messages` that a warm cache has in another form; undefined: it has all of them as they are. */
  readonly rewrittenFrom: number | undefined
  /** The items that came with the shown messages, oldest first. */
  readonly given: readonly GivenCell[]
  /** Cells whose text may contain pictures. They must be checked again, because the disk may have changed. */
  readonly cellsWithImages: readonly number[]
}

interface RememberedCell {
  /** The cell itself, if it is left out and was not read. Nothing else is known of it then. */
  readonly unread?: SessionCell
  /** The text of the cell. */
  readonly content: string
  readonly role: string | undefined
  /** The cell's recorded mentions, compared by identity. */
  readonly mentioned: unknown
  readonly mode: unknown
  readonly plan: unknown
  readonly interaction: readonly AgentMessage[] | undefined
  readonly interactionLength: number
  readonly mentions: readonly Mention[]
  /** The cell's changes to the macros. Copies of all macros would take too much memory in a long session. */
  readonly changes: readonly MacroChange[]
  readonly shortened: number | undefined
  readonly given: GivenItems | undefined
  /** The recap of the newest todo list that the cell wrote. */
  readonly recap: () => string | undefined
}

export interface HistoryMemoryParts extends HistoryViewParts {
  readonly settings: Pick<ContextSettings, 'history' | 'prices' | 'kept'>
  readonly summaries: SummaryRoom & { readonly tokens: TokenCounter }
}

/** The facts, besides the cells, that determine the messages before a cell. */
export interface HistoryFacts {
  /** The macros that hold before the first cell. */
  readonly base: MacroContext
  readonly compactions: readonly CompactionAct[]
  /** Whether the provider still has what was sent last; undefined if no request is to be sent. */
  readonly cache?: CacheState | undefined
}

/**
 * Remembers a session's cells, so that a build after one more round reads only that round. A cell is recognised by its
 * text, its role and its interaction array. Everything from the first different cell on is read again.
 */
export class HistoryMemory {
  readonly #root: string
  readonly #settings: HistoryMemoryParts['settings']
  readonly #tokens: MessageTokens
  #base = new JournalMacros()
  /** The macros after the last known cell. */
  #macros = new JournalMacros()
  #cells: RememberedCell[] = []
  readonly view: HistoryView
  readonly compacted: CompactedHistory
  /** The mentions of the cells from `since` on. */
  #mentions = { since: 0, placed: new Map<string, PlacedMention>() }
  #imageCells: number[] = []
  #givenCells: GivenCell[] = []

  constructor(root: string, { settings, summaries, ...parts }: HistoryMemoryParts) {
    this.#root = root
    this.#settings = settings
    this.#tokens = new MessageTokens(summaries.tokens)
    this.view = new HistoryView({ ...parts, stubs: settings.history.stubs })
    this.compacted = new CompactedHistory(parts.results, { ...summaries, kept: settings.kept })
  }

  /** The history before the cell `current`. `base` are the macros before the first cell. */
  before(
    cells: readonly SessionCell[],
    current: number,
    { base, compactions, cache: state }: HistoryFacts,
  ): HistoryPrefix {
    const end = Math.min(current, cells.length)
    // Nothing is sent again for a cell that others follow: what is recorded of it counts.
    const cache = current < cells.length - 1 ? undefined : state
    const active = activeCompactions(compactions, current)
    const hidden = hiddenCells((cell) => isUsers(cells[cell]), end, active)
    this.#useBase(base)
    if (hidden < this.view.left) this.#forgetFrom(0)
    this.#forgetFrom(this.#firstChange(cells, end))
    if (cache !== undefined) this.#forgetFrom(end)
    this.view.leave(Math.min(hidden, this.#cells.length))
    for (const cell of cells.slice(this.#cells.length, end)) this.#learn(cell, hidden)
    const shortened = this.#shortened(cells[current], hidden, cache)
    const shown = this.compacted.show(this.view, end, { compactions: active, shortened })
    return {
      ...shown,
      shortened,
      rewrittenFrom: cache === 'warm' ? this.#rewrittenFrom(shown, shortened) : undefined,
      given: this.#givenCells.filter(({ cell }) => cell >= shown.hidden && cell < end),
      mentions: this.#mentionsOf(shown.hidden, end),
      hiddenMention: (id) =>
        shown.hidden === 0 ? undefined : foldMentions(this.#cells, 0, shown.hidden).get(id),
      todo: unfinishedRecap(this.#recapBefore(end)),
      macros: end === this.#cells.length ? this.#macros.copy() : this.#macrosBefore(end),
      cellsWithImages: this.#imageCells.filter((cell) => cell >= shown.hidden && cell < end),
    }
  }

  #recapBefore(end: number): string {
    for (let index = end - 1; index >= 0; index--) {
      const recap = this.#cells[index]?.recap()
      if (recap !== undefined) return recap
    }
    return ''
  }

  #rewrittenFrom(
    { hidden, summaries }: CompactedMessages,
    shortened: number | undefined,
  ): number | undefined {
    const position = this.view.firstRewritten(shortened)
    const start = this.view.cells[hidden]?.start ?? this.view.length
    return position === undefined || position < start ? undefined : position - start + summaries
  }

  #shortened(
    cell: SessionCell | undefined,
    hidden: number,
    cache: CacheState | undefined,
  ): number | undefined {
    const recorded = cell && recordedShortened(cell)
    if (cache === undefined) return recorded
    const parts = { ...this.#settings, tokens: this.#tokens }
    return shortenedCount(this.view, { recorded, cache, hidden }, parts)
  }

  /** Continues the fold of the last build if possible. */
  #mentionsOf(start: number, end: number): ReadonlyMap<string, PlacedMention> {
    if (end !== this.#cells.length) return foldMentions(this.#cells, start, end)
    if (this.#mentions.since !== start)
      this.#mentions = { since: start, placed: foldMentions(this.#cells, start, end) }
    return this.#mentions.placed
  }

  #useBase(base: MacroContext): void {
    if (base.stateKey === this.#base.stateKey) return
    this.#forgetFrom(0)
    this.#base = new JournalMacros(base.entries())
    this.#macros = new JournalMacros(base.entries())
  }

  #macrosBefore(end: number): MacroContext {
    const macros = new JournalMacros(this.#base.entries())
    for (const { changes } of this.#cells.slice(0, end)) macros.repeat(changes)
    return macros
  }

  #firstChange(cells: readonly SessionCell[], end: number): number {
    const limit = Math.min(this.#cells.length, end)
    for (let index = 0; index < limit; index++) {
      const cell = cells[index]
      const known = this.#cells[index]
      if (!cell || !known || !isSame(known, cell)) return index
    }
    return this.#cells.length
  }

  #forgetFrom(first: number): void {
    // Of cells that left the view nothing is held that others could be added to.
    const index = first < this.view.left ? 0 : first
    if (index >= this.#cells.length) return
    const forgotten = this.#cells.slice(index)
    // A new list, because a build that is still running looks up its cells in the old one.
    this.#cells = this.#cells.slice(0, index)
    this.view.forgetFrom(index)
    this.#imageCells = this.#imageCells.filter((cell) => cell < index)
    this.#givenCells = this.#givenCells.filter(({ cell }) => cell < index)
    if (forgotten.some(({ mentions }) => mentions.length > 0))
      this.#mentions = { since: 0, placed: foldMentions(this.#cells, 0, index) }
    if (forgotten.some(({ changes }) => changes.length > 0))
      this.#macros = new JournalMacros(this.#macrosBefore(index).entries())
  }

  /** Of the cells before `hidden` no message is shown. */
  #learn(cell: SessionCell, hidden: number): void {
    const index = this.#cells.length
    const digest = index < hidden ? digestOf(cell) : undefined
    const role = roleOf(cell)
    if (digest && role !== 'system') return this.#learnUnread(cell, digest)
    const { content, metadata } = cell
    const interaction = metadata?.mutsumi_interaction
    // First, because it reads the cell's definitions.
    const mentions = role === 'user' ? this.#mentionsIn(content, index) : []
    if (index < hidden) this.view.addLeft(leftCell(addedWithoutResults(cell)))
    else this.view.add(addedCell(cell, (name) => this.#macros.getValue(name)))
    if (role === 'user' && content.includes('![')) this.#imageCells.push(index)
    const given = role === 'user' ? recordedGiven(cell) : undefined
    if (given) this.#givenCells.push({ cell: index, given })
    const interactionLength = interaction?.length ?? 0
    this.#cells.push({
      content,
      role: metadata?.role,
      mentioned: mentionedIn(cell),
      mode: metadata?.mode,
      plan: metadata?.plan,
      interaction,
      interactionLength,
      mentions,
      changes: this.#macros.takeChanges(),
      shortened: recordedShortened(cell),
      given,
      recap: recapIn(interaction, cell),
    })
  }

  /** Of a cell that is left out, only macros, todo lists and the ids of its calls matter. */
  #learnUnread(cell: SessionCell, { isPlain, calls, tools }: CellDigest): void {
    const index = this.#cells.length
    const role = roleOf(cell)
    this.view.addLeft({ role, calls, system: [] })
    // A text without marks mentions and defines nothing.
    const mentions = role === 'user' && !isPlain ? this.#mentionsIn(cell.content, index) : []
    this.#cells.push({
      ...{
        unread: cell,
        content: '',
        role,
        mentioned: undefined,
        mode: undefined,
        plan: undefined,
        interaction: undefined,
        interactionLength: 0,
      },
      ...{ mentions, changes: this.#macros.takeChanges(), shortened: undefined, given: undefined },
      recap: tools.includes('TodoWrite')
        ? () => recapIn(cell.metadata?.mutsumi_interaction, cell)()
        : noRecap,
    })
  }

  #mentionsIn(content: string, index: number): readonly Mention[] {
    const place = { source: `cell ${index}`, root: this.#root }
    const { mentions } = readPrompt(content, this.#macros, place)
    if (index >= this.#mentions.since)
      for (const mention of mentions) addMention(this.#mentions.placed, mention, index)
    return mentions
  }
}

/** Adds a mention to the active ones. The newest one wins but keeps the first position. */
export function addMention(placed: Map<string, PlacedMention>, mention: Mention, cell: number): void {
  const known = placed.get(mention.id)
  placed.set(mention.id, { mention, cell: known?.cell ?? cell, lastCell: cell })
}

function foldMentions(
  cells: readonly RememberedCell[],
  start: number,
  end: number,
): Map<string, PlacedMention> {
  const placed = new Map<string, PlacedMention>()
  for (let index = start; index < end; index++)
    for (const mention of cells[index]?.mentions ?? []) addMention(placed, mention, index)
  return placed
}

function recapIn(
  interaction: readonly AgentMessage[] | undefined,
  cell: SessionCell,
): () => string | undefined {
  // Results may be long, so only lists are read.
  const lists = Array.isArray(interaction) ? interaction.filter(isTodoList) : []
  const recap = (lists.length > 0 ? newestRecap(messagesIn(lists)) : undefined) ?? planRecap(cell)
  return recap === undefined ? noRecap : () => recap
}

function noRecap(): undefined {
  return undefined
}

function isUsers(cell: SessionCell | undefined): boolean {
  return cell !== undefined && roleOf(cell) === 'user'
}

function mentionedIn({ metadata }: SessionCell): unknown {
  return metadata?.mentioned ?? metadata?.reminder
}

function isSame(known: RememberedCell, cell: SessionCell): boolean {
  // A cell that is read on demand never changes.
  if (known.unread !== undefined) return known.unread === cell
  const interaction = cell.metadata?.mutsumi_interaction
  return (
    known.content === cell.content &&
    known.mentioned === mentionedIn(cell) &&
    known.mode === cell.metadata?.mode &&
    known.plan === cell.metadata?.plan &&
    known.interaction === interaction &&
    known.interactionLength === (interaction?.length ?? 0) &&
    known.role === cell.metadata?.role &&
    known.shortened === recordedShortened(cell) &&
    isSameGiven(known, cell)
  )
}

/** Another process reads it again from the same file. */
function isSameGiven({ given }: RememberedCell, cell: SessionCell): boolean {
  const now = cell.metadata?.given
  return given === now || JSON.stringify(given) === JSON.stringify(recordedGiven(cell))
}
