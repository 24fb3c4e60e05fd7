import { type AgentMetadata, isJsonObject, type SessionCell } from '@mutsumi/schema'
import { MacroContext } from '../documents/macro-context.js'
import { processPrompt } from '../documents/macro-definitions.js'
import { roleOf } from '../history/cell-messages.js'
import { JournalMacros } from './journal-macros.js'

/** The macros as a session stores them. */
export type StoredMacros = Pick<AgentMetadata, 'macroContext' | 'macroBase'>

/**
 * The macros of a session: before its first cell, and after each cell. Both ends are stored: `macroBase` has the
 * macros before the first cell, `macroContext` those after the last build. So an early cell that runs again does not
 * see macros that later cells defined.
 */
export class SessionMacros {
  readonly #hostMacros: Readonly<Record<string, string>>
  #told: { readonly print: string; readonly base: MacroContext } | undefined

  /** `hostMacros` come from the host. They are defined from the start and not stored in the session. */
  constructor(hostMacros: Readonly<Record<string, string>>) {
    this.#hostMacros = hostMacros
  }

  /** The macros before the first cell. */
  base(metadata: AgentMetadata, cells: readonly SessionCell[]): MacroContext {
    const base = this.#sessionBase(metadata, cells).copy()
    base.setMacros(this.#hostMacros)
    return base
  }

  /** The metadata to store, given the macros after the cell that was built. */
  stored(metadata: AgentMetadata, cells: readonly SessionCell[], macros: MacroContext): StoredMacros {
    const base = this.#sessionBase(metadata, cells).getMacrosObject()
    const macroContext = macros.getMacrosObject()
    // Most sessions have no macros. For them, nothing is stored beyond the design's own field.
    if (Object.keys(macroContext).length === 0 && Object.keys(base).length === 0) return { macroContext }
    return { macroContext, macroBase: { macros: base, of: macros.stateKey } }
  }

  #sessionBase({ macroContext, macroBase }: AgentMetadata, cells: readonly SessionCell[]): MacroContext {
    const stored = macrosIn(macroContext)
    const print = stored.stateKey
    if (isJsonObject(macroBase) && macroBase.of === print) return macrosIn(macroBase.macros)
    if (this.#told?.print !== print) this.#told = { print, base: withoutThoseOf(cells, stored) }
    return this.#told.base
  }
}

/**
 * Derives the base of a session that does not store it, because another program wrote or changed it. A macro whose
 * value is defined in some cell came from that cell; the others were there before.
 */
function withoutThoseOf(cells: readonly SessionCell[], stored: MacroContext): MacroContext {
  const entries = [...stored.entries()]
  if (entries.length === 0) return stored
  const replayed = new JournalMacros()
  for (const cell of cells) if (roleOf(cell) === 'user') processPrompt(cell.content, replayed)
  const given = new Set(replayed.takeChanges().map(({ name, value }) => `${name}\0${value}`))
  return new MacroContext(entries.filter(([name, value]) => !given.has(`${name}\0${value}`)))
}

/** Sessions may be edited by hand, so invalid macros are skipped. */
function macrosIn(stored: unknown): MacroContext {
  const macros = new MacroContext()
  if (isJsonObject(stored)) macros.setMacros(stored)
  return macros
}
