import type { LineRange, Reading, Warning } from '@mutsumi/schema'
import { CappedWarnings } from '../ground/capped-warnings.js'
import type { NodeCharge } from './include-ledger.js'
import type { MacroContext } from './macro-context.js'

/**
 * Says how far an expansion may be used again. A tool's answer is valid for one build, a depth error only at that
 * depth, and an error about a cycle or a used-up limit nowhere else.
 */
export const reuse = { always: 0, thisBuild: 1, thisDepth: 2, never: 3 } as const
export type Reuse = (typeof reuse)[keyof typeof reuse]

/** Something that was read during the expansion. The expansion is valid while every reading is the same. */
export interface Dependency {
  readonly path: string
  readonly range?: LineRange
  readonly reading: Reading
}

/** A fully expanded document. */
export interface Expanded {
  readonly content: string
  /** The front matter of the first Markdown file, starting with the document itself; undefined if there was none. */
  readonly description: string | undefined
  readonly params: ReadonlySet<string>
  /** The macros after the document's own commands. Included documents do not define macros here. */
  readonly macros: MacroContext
  /** Canonical keys of the included files, in order of first appearance. */
  readonly includes: ReadonlySet<string>
  readonly warnings: ReadonlyMap<string, Warning>
  readonly dependencies: ReadonlyMap<string, Dependency>
  /** The ledger's charges for it, by node. */
  readonly nodes: ReadonlyMap<string, NodeCharge>
  /** Levels of documents below this one. */
  readonly height: number
  readonly reuse: Reuse
}

/** Collects an expansion while its document is processed. */
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

  /** Adds everything except the text of an included document, once even if it is included often. */
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
