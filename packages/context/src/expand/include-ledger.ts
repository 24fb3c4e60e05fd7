import type { ContextLimits } from '../settings.js'

/**
 * Keeps one build within its limits. A document that is included many times is charged once, because it is
 * expanded once; one that had to be expanded again (a cycle runs through it) is charged again.
 */
export class IncludeLedger {
  readonly #limits: ContextLimits
  readonly #charged = new Map<string, number>()
  #expansions = 0
  #bytes = 0

  constructor(limits: ContextLimits) {
    this.#limits = limits
  }

  /** Books one expansion; false where the build has had its share. */
  begin(node: string): boolean {
    if (this.#expansions >= this.#limits.includes) return false
    this.#expansions++
    if (!this.#charged.has(node)) this.#charged.set(node, 0)
    return true
  }

  /** Books text that a document takes in; false where it would be too much. */
  insert(node: string, length: number): boolean {
    if (this.#bytes + length > this.#limits.includeBytes) return false
    this.#bytes += length
    this.#charged.set(node, (this.#charged.get(node) ?? 0) + length)
    return true
  }

  /** Books what an earlier build has expanded, as if it were done now; false where it does not fit. */
  adopt(nodes: ReadonlyMap<string, number>): boolean {
    let bytes = this.#bytes
    let count = this.#expansions
    for (const [node, length] of nodes) {
      if (this.#charged.has(node)) continue
      bytes += length
      count++
    }
    if (bytes > this.#limits.includeBytes || count > this.#limits.includes) return false
    for (const [node, length] of nodes) if (!this.#charged.has(node)) this.#charged.set(node, length)
    this.#bytes = bytes
    this.#expansions = count
    return true
  }

  insertedBy(node: string): number {
    return this.#charged.get(node) ?? 0
  }

  get tooDeep(): string {
    return `includes are nested deeper than ${this.#limits.includeDepth} levels`
  }

  get tooMany(): string {
    return `one build expands at most ${this.#limits.includes} includes`
  }

  get tooMuch(): string {
    return `the includes of one build may insert at most ${this.#limits.includeBytes} characters`
  }
}
