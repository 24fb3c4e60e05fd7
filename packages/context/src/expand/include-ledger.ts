import type { ContextLimits } from '../settings.js'

/** What one document costs a build. */
export interface NodeCharge {
  /** Characters that it takes in. */
  readonly length: number
  /** References in it that could not be put in. */
  readonly failures: number
}

const nothing: NodeCharge = { length: 0, failures: 0 }

/**
 * Keeps one build within its limits. A document that is included many times is charged once, because it is
 * expanded once; one that had to be expanded again (a cycle runs through it) is charged again.
 */
export class IncludeLedger {
  readonly #limits: ContextLimits
  readonly #charged = new Map<string, NodeCharge>()
  #expansions = 0
  #length = 0
  #failures = 0

  constructor(limits: ContextLimits) {
    this.#limits = limits
  }

  /** Books one expansion; false where the build has had its share. */
  begin(node: string): boolean {
    if (this.#expansions >= this.#limits.includes) return false
    this.#expansions++
    if (!this.#charged.has(node)) this.#charged.set(node, nothing)
    return true
  }

  /** Books text that a document takes in; false where it would be too much. */
  insert(node: string, length: number): boolean {
    if (this.#length + length > this.#limits.includeBytes) return false
    this.#length += length
    const { length: before, failures } = this.chargeOf(node)
    this.#charged.set(node, { length: before + length, failures })
    return true
  }

  /** Books a reference that cannot be put in. */
  fail(node: string): void {
    this.#failures++
    const { length, failures } = this.chargeOf(node)
    this.#charged.set(node, { length, failures: failures + 1 })
  }

  /** So many references have failed that looking at more of them helps nobody. */
  get hasFailed(): boolean {
    return this.#failures >= this.#limits.includes
  }

  /** Books what an earlier build has expanded, as if it were done now; false where it does not fit. */
  adopt(nodes: ReadonlyMap<string, NodeCharge>): boolean {
    let length = this.#length
    let failures = this.#failures
    let expansions = this.#expansions
    for (const [node, charge] of nodes) {
      if (this.#charged.has(node)) continue
      length += charge.length
      failures += charge.failures
      expansions++
    }
    const { includes, includeBytes } = this.#limits
    if (length > includeBytes || expansions > includes || failures > includes) return false
    for (const [node, charge] of nodes) if (!this.#charged.has(node)) this.#charged.set(node, charge)
    this.#length = length
    this.#failures = failures
    this.#expansions = expansions
    return true
  }

  chargeOf(node: string): NodeCharge {
    return this.#charged.get(node) ?? nothing
  }

  get tooDeep(): string {
    return `includes are nested deeper than ${this.#limits.includeDepth} levels`
  }

  get tooMany(): string {
    return `one build expands at most ${this.#limits.includes} includes`
  }

  get tooMuch(): string {
    return `the includes and macros of one build may insert at most ${this.#limits.includeBytes} characters`
  }

  get tooManyFailures(): string {
    return `${this.#limits.includes} references of this build could not be put in; the others stay as they are`
  }
}
