import { type AgentMessage, isJsonObject, isRole, type Role, type SessionCell } from '@mutsumi/schema'
import { MacroContext } from '../expand/macro-context.js'
import { blankFences } from '../expand/macro-definitions.js'
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
  /** The macros behind this cell. */
  readonly macros: MacroContext
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
  readonly #hostMacros: Readonly<Record<string, string>>
  readonly #definitions = new CellDefinitions()
  #base = new MacroContext()
  #cells: RememberedCell[] = []
  #messages: AgentMessage[] = []
  #mentions = new Map<string, StandingMention>()

  /** `hostMacros` are the host's own: they hold from the start, whatever cells define later. */
  constructor(root: string, hostMacros: Readonly<Record<string, string>> = {}) {
    this.#root = root
    this.#hostMacros = hostMacros
  }

  /** The history before the cell `current`, whose text is `prompt`. `saved` are the session's stored macros. */
  before(
    cells: readonly SessionCell[],
    current: number,
    { saved, prompt }: { saved: Readonly<Record<string, unknown>>; prompt: string },
  ): HistoryPrefix {
    const end = Math.min(current, cells.length)
    this.#useBase(cells, saved, prompt)
    this.#forgetFrom(this.#firstChange(cells, end))
    for (const cell of cells.slice(this.#cells.length, end)) this.#learn(cell)
    const known = this.#cells
    const last = known[end - 1]
    return {
      messages: this.#messages.slice(0, last?.end ?? 0),
      mentions: end === known.length ? this.#mentions : foldMentions(known.slice(0, end)),
      macros: (last?.macros ?? this.#base).copy(),
      messageOf: (cell) => known[cell]?.message,
      cellsWithImages: this.#imageCells.filter((cell) => cell < end),
    }
  }

  #imageCells: number[] = []

  /**
   * A macro that some cell defines comes from that cell alone, else re-running an early cell would see what
   * later ones defined. What remains of the stored macros came from elsewhere and holds from the start.
   */
  #useBase(cells: readonly SessionCell[], saved: Readonly<Record<string, unknown>>, prompt: string): void {
    const base = new MacroContext()
    base.setMacros(saved)
    if (base.stateKey !== new MacroContext().stateKey) {
      this.#definitions.update(cells)
      for (const [name] of [...base.entries()]) if (this.#definitions.has(name)) base.undefine(name)
      // The prompt may not be a cell yet.
      for (const name of namesDefinedIn(prompt)) base.undefine(name)
    }
    base.setMacros(this.#hostMacros)
    if (base.stateKey === this.#base.stateKey) return
    this.#forgetFrom(0)
    this.#base = base
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
    const before = this.#cells.at(-1)?.macros ?? this.#base
    const { mentions, macros } =
      role === 'user' ? this.#readCell(cell.content, index, before) : { mentions: [], macros: before }
    for (const mention of mentions) addMention(this.#mentions, mention, index)
    const interactionLength = interaction?.length ?? 0
    const end = this.#messages.length
    this.#cells.push({
      content: cell.content,
      role: cell.metadata?.role,
      interaction,
      interactionLength,
      mentions,
      macros,
      hasImages,
      message,
      end,
    })
  }

  #readCell(
    content: string,
    index: number,
    before: MacroContext,
  ): { mentions: readonly Mention[]; macros: MacroContext } {
    const macros = before.copy()
    const { mentions } = readPrompt(content, macros, { source: `cell ${index}`, root: this.#root })
    return { mentions, macros: macros.stateKey === before.stateKey ? before : macros }
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
function roleOf(cell: SessionCell): Role {
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

/** The names that user cells define, in whatever branch, kept up to date cell by cell. */
class CellDefinitions {
  readonly #cells: { text: string; names: readonly string[] }[] = []
  readonly #uses = new Map<string, number>()

  has(name: string): boolean {
    return (this.#uses.get(name) ?? 0) > 0
  }

  update(cells: readonly SessionCell[]): void {
    for (let index = 0; index < cells.length; index++) {
      const cell = cells[index]
      const text = cell && roleOf(cell) === 'user' ? cell.content : ''
      if (this.#cells[index]?.text === text) continue
      this.#count(this.#cells[index]?.names ?? [], -1)
      const names = namesDefinedIn(text)
      this.#cells[index] = { text, names }
      this.#count(names, 1)
    }
    for (const { names } of this.#cells.splice(cells.length)) this.#count(names, -1)
  }

  #count(names: readonly string[], by: number): void {
    for (const name of names) this.#uses.set(name, (this.#uses.get(name) ?? 0) + by)
  }
}

function namesDefinedIn(text: string): readonly string[] {
  if (!text.includes('define')) return noNames
  const definition = /(?:^[ \t]*#define[ \t]+|@\{[ \t]*define[ \t]+)([A-Za-z_][A-Za-z0-9_]*)/gm
  return [...blankFences(text).matchAll(definition)].map((match) => match[1] ?? '')
}

const noNames: readonly string[] = []
