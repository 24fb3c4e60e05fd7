import { MacroContext } from '../documents/macro-context.js'

/** A definition or its removal. */
export interface MacroChange {
  readonly name: string
  readonly value: string | undefined
}

/** Macros that log every change. */
export class JournalMacros extends MacroContext {
  #changes: MacroChange[] = []

  override define(name: string, value: string): boolean {
    const defined = super.define(name, value)
    if (defined) this.#changes.push({ name, value })
    return defined
  }

  override undefine(name: string): boolean {
    const was = super.undefine(name)
    if (was) this.#changes.push({ name, value: undefined })
    return was
  }

  /** The changes since the last call. */
  takeChanges(): readonly MacroChange[] {
    const changes = this.#changes
    if (changes.length === 0) return noChanges
    this.#changes = []
    return changes
  }

  /** Repeats logged changes. */
  repeat(changes: readonly MacroChange[]): void {
    for (const { name, value } of changes) {
      if (value === undefined) super.undefine(name)
      else super.define(name, value)
    }
  }
}

const noChanges: readonly MacroChange[] = []
