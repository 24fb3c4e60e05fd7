import { type Effort, maximumEffort } from '../ground/effort.js'
import type { ContextLimits } from '../ground/settings.js'

/** What one document costs a build. */
export interface NodeCharge {
  /** Characters that it takes in. */
  readonly length: number
  /** References in it that could not be put in. */
  readonly failures: number
  /** Work that its commands and its front matter take. */
  readonly effort: number
}

const nothing: NodeCharge = { length: 0, failures: 0, effort: 0 }

/** Patterns that the documents of one build may look for: each means a walk through the folders. */
const maximumGlobs = 100

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
  #effort = 0
  #globs = 0

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

  /** Books something that is shown as it is: once, however often it is included. */
  beginOnce(node: string): boolean {
    return this.#charged.has(node) || this.begin(node)
  }

  /** Books the search for a pattern's files; false where the build has looked for enough of them. */
  beginGlob(node: string): boolean {
    if (this.#charged.has(node)) return true
    if (this.#globs >= maximumGlobs || !this.begin(node)) return false
    this.#globs++
    return true
  }

  /** Books text that a document takes in; false where it would be too much. */
  insert(node: string, length: number): boolean {
    if (this.#length + length > this.#limits.includeBytes) return false
    this.#length += length
    const charge = this.chargeOf(node)
    this.#charged.set(node, { ...charge, length: charge.length + length })
    return true
  }

  /** Books a reference that cannot be put in. */
  fail(node: string): void {
    this.#failures++
    const charge = this.chargeOf(node)
    this.#charged.set(node, { ...charge, failures: charge.failures + 1 })
  }

  /** The work that a document may ask for, out of what the build has left; `onRefusal` hears where it is too much. */
  effortOf(node: string, onRefusal: () => void): Effort {
    return {
      allows: (units) => {
        const allowed = this.#effort + units <= maximumEffort
        if (!allowed) onRefusal()
        return allowed
      },
      book: (units) => {
        this.#effort += units
        const charge = this.chargeOf(node)
        this.#charged.set(node, { ...charge, effort: charge.effort + units })
      },
    }
  }

  /** The build has done more work than it may: what asks for more of it is not begun. */
  get isSpent(): boolean {
    return this.#effort > maximumEffort
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
    let effort = this.#effort
    for (const [node, charge] of nodes) {
      if (this.#charged.has(node)) continue
      length += charge.length
      failures += charge.failures
      effort += charge.effort
      expansions++
    }
    const { includes, includeBytes } = this.#limits
    if (length > includeBytes || expansions > includes || failures > includes || effort > maximumEffort)
      return false
    for (const [node, charge] of nodes) if (!this.#charged.has(node)) this.#charged.set(node, charge)
    this.#length = length
    this.#failures = failures
    this.#expansions = expansions
    this.#effort = effort
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

  get tooMuchWork(): string {
    return 'the commands of one build may take only so much time, and it is spent; include fewer documents'
  }

  get tooManyGlobs(): string {
    return `the documents of one build may use at most ${maximumGlobs} patterns and ${this.#limits.includes} includes`
  }

  get tooMuch(): string {
    return `the includes and macros of one build may insert at most ${this.#limits.includeBytes} characters`
  }

  get tooManyFailures(): string {
    return `${this.#limits.includes} references of this build could not be put in; the others stay as they are`
  }
}
