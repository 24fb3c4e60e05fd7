import { isMacroName } from '@mutsumi/schema'
import { SharedMap } from '../ground/shared-map.js'
import { addPrints, type MacroPrint, noPrint, printOf, subtractPrints } from './macro-print.js'

interface Macro {
  readonly name: string
  readonly value: string
  /** Its place in the order of first definitions. */
  readonly order: number
  readonly print: MacroPrint
}

/**
 * The macros at one point of a text. Names are plain keys, and `__proto__` is one like any other. A copy and a state
 * key cost the same for one macro as for ten thousand, because every include needs both.
 */
export class MacroContext {
  #macros: SharedMap<Macro> = SharedMap.empty
  #defined = 0
  #print = noPrint
  #stateKey: string | undefined

  constructor(macros: Iterable<readonly [string, string]> = []) {
    for (const [name, value] of macros) this.#set(name, value)
  }

  /** Defines or redefines a macro. Returns false and does nothing if the name is invalid. */
  define(name: string, value: string): boolean {
    if (!isMacroName(name)) return false
    this.#set(name, value)
    return true
  }

  undefine(name: string): boolean {
    const macro = this.#macros.get(name)
    if (!macro) return false
    this.#macros = this.#macros.without(name)
    this.#print = subtractPrints(this.#print, macro.print)
    this.#stateKey = undefined
    return true
  }

  isDefined(name: string): boolean {
    return this.#macros.get(name) !== undefined
  }

  getValue(name: string): string | undefined {
    return this.#macros.get(name)?.value
  }

  clear(): void {
    this.#macros = SharedMap.empty
    this.#print = noPrint
    this.#stateKey = undefined
  }

  /** Adds the macros of a plain object, as a session stores them. Anything that is not a name and a string is skipped. */
  setMacros(macros: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(macros))
      if (typeof value === 'string') this.define(name, value)
  }

  /** A plain object for JSON. `fromEntries` makes `__proto__` an own property, so it survives the trip. */
  getMacrosObject(): Record<string, string> {
    return Object.fromEntries(this.entries())
  }

  /** In the order of their first definitions. */
  entries(): IterableIterator<[string, string]> {
    const macros = this.#macros.values().sort((one, other) => one.order - other.order)
    return macros.map(({ name, value }): [string, string] => [name, value]).values()
  }

  /** An independent copy, so that a document's definitions stay in the document. */
  copy(): MacroContext {
    const copy = new MacroContext()
    copy.#macros = this.#macros
    copy.#defined = this.#defined
    copy.#print = this.#print
    copy.#stateKey = this.#stateKey
    return copy
  }

  /**
   * Equal for equal macros in any order. Documents are expanded once per such state. It is a short hash, because it is
   * part of very many keys.
   */
  get stateKey(): string {
    this.#stateKey ??= `${this.#macros.size}-${this.#print.map(hexadecimal).join('')}`
    return this.#stateKey
  }

  #set(name: string, value: string): void {
    const known = this.#macros.get(name)
    if (known?.value === value) return
    const print = printOf(name, value)
    const others = known ? subtractPrints(this.#print, known.print) : this.#print
    this.#macros = this.#macros.with(name, { name, value, order: known?.order ?? this.#defined++, print })
    this.#print = addPrints(others, print)
    this.#stateKey = undefined
  }
}

function hexadecimal(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
