import { type AgentMessage, isJsonObject, isRole, type Role, type SessionCell } from '@mutsumi/schema'
import type { MacroContext } from '../expand/macro-context.js'
import { JournalMacros, type MacroChange } from './journal-macros.js'
import { type Mention, readPrompt } from './mentions.js'

/** A mention that stands, with the first and the newest cell that make it. */
export interface StandingMention {
  readonly mention: Mention
  readonly cell?: number
  readonly lastCell?: number
}

/** The history before one cell. */
export interface HistoryPrefix {
  /** A list of the caller's own: what belongs into the messages is put into this one. */
  readonly messages: AgentMessage[]
  /** In order of first mention. */
  readonly mentions: ReadonlyMap<string, StandingMention>
  readonly macros: MacroContext
  /** Which message a cell's own text became; undefined for blank cells. */
  readonly messageOf: (cell: number) => number | undefined
  /** Cells whose text may hold pictures: they must be looked at again, because the disk may have changed. */
  readonly cellsWithImages: readonly number[]
}

interface RememberedCell {
  readonly content: string
  /** As the cell says it. */
  readonly role: string | undefined
  readonly interaction: readonly AgentMessage[] | undefined
  readonly interactionLength: number
  readonly mentions: readonly Mention[]
  /** What the cell did to the macros; no copy of them, or a long session would hold a copy per cell. */
  readonly changes: readonly MacroChange[]
  readonly hasImages: boolean
  /** Index of the cell's own message, and the number of messages up to and with its interaction. */
  readonly message: number | undefined
  readonly end: number
}

/**
 * What is known of a session's cells, so that a build after one more round looks only at that round. A cell
 * is known again by its text, its role and its interaction array; from the first that differs on, all is read anew.
 */
export class HistoryMemory {
  readonly #root: string
  #base = new JournalMacros()
  /** The macros behind the last known cell. */
  #macros = new JournalMacros()
  #cells: RememberedCell[] = []
  #messages: AgentMessage[] = []
  #mentions = new Map<string, StandingMention>()

  constructor(root: string) {
    this.#root = root
  }

  /** The history before the cell `current`. `base` are the macros that hold before the first cell. */
  before(cells: readonly SessionCell[], current: number, base: MacroContext): HistoryPrefix {
    const end = Math.min(current, cells.length)
    this.#useBase(base)
    this.#forgetFrom(this.#firstChange(cells, end))
    for (const cell of cells.slice(this.#cells.length, end)) this.#learn(cell)
    const known = this.#cells
    const last = known[end - 1]
    return {
      messages: this.#messages.slice(0, last?.end ?? 0),
      mentions: end === known.length ? this.#mentions : foldMentions(known.slice(0, end)),
      macros: end === known.length ? this.#macros.copy() : this.#macrosBefore(end),
      messageOf: (cell) => known[cell]?.message,
      cellsWithImages: this.#imageCells.filter((cell) => cell < end),
    }
  }

  #imageCells: number[] = []

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

  #forgetFrom(index: number): void {
    if (index >= this.#cells.length) return
    const forgotten = this.#cells.slice(index)
    // A list of its own: a build that is still going on looks its cells up in the old one.
    this.#cells = this.#cells.slice(0, index)
    this.#messages.length = this.#cells.at(-1)?.end ?? 0
    this.#imageCells = this.#imageCells.filter((cell) => cell < index)
    if (forgotten.some(({ mentions }) => mentions.length > 0)) this.#mentions = foldMentions(this.#cells)
    if (forgotten.some(({ changes }) => changes.length > 0))
      this.#macros = new JournalMacros(this.#macrosBefore(index).entries())
  }

  #learn(cell: SessionCell): void {
    const index = this.#cells.length
    const role = roleOf(cell)
    const interaction = cell.metadata?.mutsumi_interaction
    const blank = cell.content.trim() === ''
    const message = blank ? undefined : this.#messages.length
    if (!blank) this.#messages.push(Object.freeze({ role, content: cell.content }))
    for (const step of messagesIn(interaction)) this.#messages.push(step)
    const hasImages = role === 'user' && cell.content.includes('![')
    if (hasImages) this.#imageCells.push(index)
    const mentions = role === 'user' ? this.#mentionsIn(cell.content, index) : []
    for (const mention of mentions) addMention(this.#mentions, mention, index)
    const interactionLength = interaction?.length ?? 0
    const end = this.#messages.length
    this.#cells.push({
      content: cell.content,
      role: cell.metadata?.role,
      interaction,
      interactionLength,
      mentions,
      changes: this.#macros.takeChanges(),
      hasImages,
      message,
      end,
    })
  }

  #mentionsIn(content: string, index: number): readonly Mention[] {
    return readPrompt(content, this.#macros, { source: `cell ${index}`, root: this.#root }).mentions
  }
}

/** Adds a mention to those that stand: the newest wins, the first position stays. */
export function addMention(standing: Map<string, StandingMention>, mention: Mention, cell: number): void {
  const known = standing.get(mention.id)
  standing.set(mention.id, { mention, cell: known?.cell ?? cell, lastCell: cell })
}

function foldMentions(cells: readonly RememberedCell[]): Map<string, StandingMention> {
  const standing = new Map<string, StandingMention>()
  cells.forEach(({ mentions }, index) => {
    for (const mention of mentions) addMention(standing, mention, index)
  })
  return standing
}

function isSame(known: RememberedCell, cell: SessionCell): boolean {
  const interaction = cell.metadata?.mutsumi_interaction
  return (
    known.content === cell.content &&
    known.interaction === interaction &&
    known.interactionLength === (interaction?.length ?? 0) &&
    known.role === cell.metadata?.role
  )
}

/** Summaries are stored under a role of their own and sent as system messages. */
export function roleOf(cell: SessionCell): Role {
  const role = cell.metadata?.role
  if (role === 'summary') return 'system'
  return isRole(role) ? role : 'user'
}

/** A notebook's metadata may have been edited by hand, and providers write `content: null`: what is no message is not sent. */
function messagesIn(interaction: readonly AgentMessage[] | undefined): readonly AgentMessage[] {
  if (!Array.isArray(interaction)) return []
  return interaction.every(isMessage) ? interaction : interaction.flatMap(mendedMessage)
}

function isMessage(step: unknown): step is AgentMessage {
  return (
    isJsonObject(step) && isRole(step.role) && (typeof step.content === 'string' || isParts(step.content))
  )
}

function isParts(content: unknown): boolean {
  return (
    Array.isArray(content) && content.every((part) => isJsonObject(part) && typeof part.type === 'string')
  )
}

function mendedMessage(step: unknown): readonly AgentMessage[] {
  if (isMessage(step)) return [step]
  if (!isJsonObject(step) || !isRole(step.role)) return []
  const hasNone = step.content === null || step.content === undefined
  return hasNone ? [{ ...step, role: step.role, content: '' }] : []
}
