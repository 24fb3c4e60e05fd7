import { MacroContext } from '../documents/macro-context.js'

/** A definition, or the end of one. */
export interface MacroChange {
  readonly name: string
  readonly value: string | undefined
}

/** Macros that write down what is done to them. */
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

  /** What was done since the last time somebody asked. */
  takeChanges(): readonly MacroChange[] {
    const changes = this.#changes
    if (changes.length === 0) return noChanges
    this.#changes = []
    return changes
  }

  /** Does again what was done elsewhere. */
  repeat(changes: readonly MacroChange[]): void {
    for (const { name, value } of changes) {
      if (value === undefined) super.undefine(name)
      else super.define(name, value)
    }
  }
}

const noChanges: readonly MacroChange[] = []
