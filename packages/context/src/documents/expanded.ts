import type { LineRange, Reading, Warning } from '@mutsumi/schema'
import { CappedWarnings } from '../ground/capped-warnings.js'
import type { NodeCharge } from './include-ledger.js'
import type { MacroContext } from './macro-context.js'

/**
 * How far an expansion may be used again. A tool's answer holds for one build, an error of depth only at
 * that depth, an error that names a cycle or a spent limit nowhere else.
 */
export const reuse = { always: 0, thisBuild: 1, thisDepth: 2, never: 3 } as const
export type Reuse = (typeof reuse)[keyof typeof reuse]

/** Something that was read on the way. While each gives the same reading, the expansion stands. */
export interface Dependency {
  readonly path: string
  readonly range?: LineRange
  readonly reading: Reading
}

/** A document with everything in it put in place. */
export interface Expanded {
  readonly content: string
  /** That of the first Markdown file on the way, the document itself first; undefined where there was none. */
  readonly description: string | undefined
  readonly params: ReadonlySet<string>
  /** The macros as the document's own commands leave them; what it includes defines nothing here. */
  readonly macros: MacroContext
  /** Canonical keys of what was included, in order of first appearance. */
  readonly includes: ReadonlySet<string>
  readonly warnings: ReadonlyMap<string, Warning>
  readonly dependencies: ReadonlyMap<string, Dependency>
  /** What the ledger charged for it, by node. */
  readonly nodes: ReadonlyMap<string, NodeCharge>
  /** Levels of documents below this one. */
  readonly height: number
  readonly reuse: Reuse
}

/** Collects an expansion while its document is walked through. */
export class ExpansionBuilder {
  readonly pieces: string[] = []
  readonly warnings = new CappedWarnings()
  readonly #source: string
  readonly #params = new Set<string>()
  readonly #includes = new Set<string>()
  readonly #dependencies = new Map<string, Dependency>()
  readonly #nodes = new Map<string, NodeCharge>()
  readonly #absorbed = new Set<Expanded>()
  #height = 0
  #reuse: Reuse = reuse.always
  description: string | undefined

  /** `source` is the document's canonical key. */
  constructor(source: string) {
    this.#source = source
  }

  addParams(params: Iterable<string>): void {
    for (const param of params) this.#params.add(param)
  }

  include(key: string): void {
    this.#includes.add(key)
  }

  depend(dependency: Dependency): void {
    this.#dependencies.set(
      `${dependency.path}\0${dependency.range?.start}\0${dependency.range?.end}`,
      dependency,
    )
  }

  limitReuse(limit: Reuse): void {
    if (limit > this.#reuse) this.#reuse = limit
  }

  charge(node: string, charge: NodeCharge): void {
    this.#nodes.set(node, charge)
  }

  /** Takes over everything but the text of an included document, once however often it is included. */
  absorb(child: Expanded): void {
    if (this.#absorbed.has(child)) return
    this.#absorbed.add(child)
    this.addParams(child.params)
    this.description ??= child.description
    for (const key of child.includes) this.#includes.add(key)
    this.warnings.absorb(child.warnings)
    for (const [id, dependency] of child.dependencies) this.#dependencies.set(id, dependency)
    for (const [node, charge] of child.nodes) this.#nodes.set(node, charge)
    this.#height = Math.max(this.#height, child.height + 1)
    this.limitReuse(child.reuse)
  }

  finish(macros: MacroContext): Expanded {
    return {
      macros,
      content: this.pieces.join(''),
      description: this.description,
      params: this.#params,
      includes: this.#includes,
      warnings: this.warnings.byId(this.#source),
      dependencies: this.#dependencies,
      nodes: this.#nodes,
      height: this.#height,
      reuse: this.#reuse,
    }
  }
}
