import { fingerprint } from '../fingerprint.js'

const macroName = /^[A-Za-z_][A-Za-z0-9_]*$/

export function isMacroName(name: string): boolean {
  return macroName.test(name)
}

/** The macros that stand at one point of a text. Names are plain keys: `__proto__` is one like any other. */
export class MacroContext {
  readonly #macros: Map<string, string>
  #stateKey: string | undefined

  constructor(macros: Iterable<readonly [string, string]> = []) {
    this.#macros = new Map(macros)
  }

  /** Defines or redefines a macro; false, and nothing happens, where the name is not one. */
  define(name: string, value: string): boolean {
    if (!isMacroName(name)) return false
    this.#macros.set(name, value)
    this.#stateKey = undefined
    return true
  }

  undefine(name: string): boolean {
    this.#stateKey = undefined
    return this.#macros.delete(name)
  }

  isDefined(name: string): boolean {
    return this.#macros.has(name)
  }

  getValue(name: string): string | undefined {
    return this.#macros.get(name)
  }

  clear(): void {
    this.#stateKey = undefined
    this.#macros.clear()
  }

  /** Adds the macros of a plain object, as a session stores them. Whatever is not a name and a string is passed over. */
  setMacros(macros: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(macros))
      if (typeof value === 'string') this.define(name, value)
  }

  /** A plain object for JSON. `fromEntries` makes `__proto__` an own property, so it survives the trip. */
  getMacrosObject(): Record<string, string> {
    return Object.fromEntries(this.#macros)
  }

  entries(): IterableIterator<[string, string]> {
    return this.#macros.entries()
  }

  /** An independent copy: what a document defines stays in it. */
  copy(): MacroContext {
    const copy = new MacroContext(this.#macros)
    copy.#stateKey = this.#stateKey
    return copy
  }

  /**
   * Equal for equal macros, whatever their order: documents are expanded once per such state. Only a print
   * of them, because it is part of very many keys.
   */
  get stateKey(): string {
    this.#stateKey ??= fingerprint(
      JSON.stringify([...this.#macros].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))),
    )
    return this.#stateKey
  }
}
