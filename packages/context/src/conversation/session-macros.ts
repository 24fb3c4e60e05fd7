import { type AgentMetadata, isJsonObject, type SessionCell } from '@mutsumi/schema'
import { MacroContext } from '../documents/macro-context.js'
import { processPrompt } from '../documents/macro-definitions.js'
import { roleOf } from '../history/cell-messages.js'
import { JournalMacros } from './journal-macros.js'

/** What a session stores of its macros. */
export type StoredMacros = Pick<AgentMetadata, 'macroContext' | 'macroBase'>

/**
 * The macros of a session: those that hold before its first cell, and behind every cell what it made of them.
 * Both are stored: `macroContext` is what the last build ended with, `macroBase` what it began with, so that
 * running an early cell again does not see what later ones defined.
 */
export class SessionMacros {
  readonly #hostMacros: Readonly<Record<string, string>>
  #told: { readonly print: string; readonly base: MacroContext } | undefined

  /** `hostMacros` are the host's own: they hold from the start, and are not the session's. */
  constructor(hostMacros: Readonly<Record<string, string>>) {
    this.#hostMacros = hostMacros
  }

  /** What holds before the first cell. */
  base(metadata: AgentMetadata, cells: readonly SessionCell[]): MacroContext {
    const base = this.#sessionBase(metadata, cells).copy()
    base.setMacros(this.#hostMacros)
    return base
  }

  /** What the session should remember once `macros` hold behind the cell that was built. */
  stored(metadata: AgentMetadata, cells: readonly SessionCell[], macros: MacroContext): StoredMacros {
    const base = this.#sessionBase(metadata, cells).getMacrosObject()
    const macroContext = macros.getMacrosObject()
    // Most sessions have no macros, and then nothing more is stored than the design asks for.
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
 * The base of a session that does not say it: written by another program, or changed by one. A macro whose
 * value some cell gives came from that cell; the others were there before.
 */
function withoutThoseOf(cells: readonly SessionCell[], stored: MacroContext): MacroContext {
  const entries = [...stored.entries()]
  if (entries.length === 0) return stored
  const replayed = new JournalMacros()
  for (const cell of cells) if (roleOf(cell) === 'user') processPrompt(cell.content, replayed)
  const given = new Set(replayed.takeChanges().map(({ name, value }) => `${name}\0${value}`))
  return new MacroContext(entries.filter(([name, value]) => !given.has(`${name}\0${value}`)))
}

/** Sessions are edited by hand: what is no macro is passed over. */
function macrosIn(stored: unknown): MacroContext {
  const macros = new MacroContext()
  if (isJsonObject(stored)) macros.setMacros(stored)
  return macros
}
