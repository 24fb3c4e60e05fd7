import type { WordedPhrase } from '@mutsumi/schema'
import { type Effort, maximumEffort } from '../ground/effort.js'
import type { ContextLimits } from '../ground/settings.js'
import { problemText, warningWords } from '../ground/warning-words.js'

/** The costs of one document in a build. */
export interface NodeCharge {
  /** Characters that it includes. */
  readonly length: number
  /** Its references that could not be included. */
  readonly failures: number
  /** The effort of its commands and its front matter. */
  readonly effort: number
}

const nothing: NodeCharge = { length: 0, failures: 0, effort: 0 }

/** How many patterns the documents of one build may use. Each one means a walk through the folders. */
const maximumGlobs = 100

/**
 * Keeps one build within its limits. A document that is included many times is charged once, because it is expanded
 * once. If it must be expanded again, because it is part of a cycle, it is charged again.
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

  /** Charges one expansion; false if the build has reached its limit. */
  begin(node: string): boolean {
    if (this.#expansions >= this.#limits.includes) return false
    this.#expansions++
    if (!this.#charged.has(node)) this.#charged.set(node, nothing)
    return true
  }

  /** Charges a file that is shown as it is: once, however often it is included. */
  beginOnce(node: string): boolean {
    return this.#charged.has(node) || this.begin(node)
  }

  /** Charges a pattern search; false if the build has reached its limit. */
  beginGlob(node: string): boolean {
    if (this.#charged.has(node)) return true
    if (this.#globs >= maximumGlobs || !this.begin(node)) return false
    this.#globs++
    return true
  }

  /** Charges text that a document includes; false if it would be too much. */
  insert(node: string, length: number): boolean {
    if (this.#length + length > this.#limits.includeBytes) return false
    this.#length += length
    const charge = this.chargeOf(node)
    this.#charged.set(node, { ...charge, length: charge.length + length })
    return true
  }

  /** Charges a reference that cannot be included. */
  fail(node: string): void {
    this.#failures++
    const charge = this.chargeOf(node)
    this.#charged.set(node, { ...charge, failures: charge.failures + 1 })
  }

  /**
   * The effort that a document may spend from the build's remaining budget. `onRefusal` is called if it is not enough.
   */
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

  /** The build has spent its effort: no further expansion is started. */
  get isSpent(): boolean {
    return this.#effort > maximumEffort
  }

  /** So many references have failed that checking more of them is useless. */
  get hasFailed(): boolean {
    return this.#failures >= this.#limits.includes
  }

  /** Charges an expansion of an earlier build as if it were done now; false if it does not fit. */
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
    return problemText('includes-too-deep', this.#limits.includeDepth)
  }

  get tooMany(): string {
    return problemText('too-many-includes', this.#limits.includes)
  }

  get tooMuchWork(): string {
    return problemText('too-much-work')
  }

  get tooManyGlobs(): string {
    return problemText('too-many-patterns', maximumGlobs, this.#limits.includes)
  }

  get tooMuch(): string {
    return problemText('too-much-inserted', this.#limits.includeBytes)
  }

  get tooManyFailures(): WordedPhrase {
    return warningWords('too-many-failures', this.#limits.includes)
  }
}
