import type { AgentMessage } from '@mutsumi/schema'

/** A shorter form of a message, possible since the round `due` ended. */
export interface Rewrite {
  readonly position: number
  /** `cut`: a result as history keeps it. `stub`: a line about a result that a newer one replaced. */
  readonly kind: 'cut' | 'stub'
  /** The number of a cell. */
  readonly due: number
  readonly message: AgentMessage
  /** The form before this one. */
  readonly before: () => AgentMessage
}

interface KnownRewrite extends Rewrite {
  /** The cell whose requests show it first; undefined while it waits. */
  done: number | undefined
}

/**
 * The messages of a history that can be shorter, and the cell from which each one is. A rewrite is possible from the end
 * of a round on and is carried out with the requests of a later cell, as that cell's facts say. So the form of a message
 * at any cell is known.
 */
export class HistoryRewrites {
  readonly #all: KnownRewrite[] = []
  #waiting: KnownRewrite[] = []

  /** In the order in which they became possible. */
  add(rewrite: Rewrite): void {
    const { position, kind, due, message, before } = rewrite
    const known: KnownRewrite = { position, kind, due, message, before, done: undefined }
    this.#all.push(known)
    this.#waiting.push(known)
  }

  /** The requests of `cell` show every rewrite from `position` on. Returns those that are new. */
  carryOut(cell: number, position: number): readonly Rewrite[] {
    const done = this.#waiting.filter((rewrite) => rewrite.position >= position)
    if (done.length === 0) return done
    this.#waiting = this.#waiting.filter((rewrite) => rewrite.position < position)
    for (const rewrite of done) rewrite.done = cell
    return done
  }

  /** Those that still wait and are before `position`. */
  waitingBefore(position: number): readonly Rewrite[] {
    return this.#waiting.filter((rewrite) => rewrite.position < position)
  }

  /** Rewrites that turn out to change nothing. */
  drop(isNothing: (rewrite: Rewrite) => boolean): void {
    this.#waiting = this.#waiting.filter((rewrite) => !isNothing(rewrite))
  }

  /** Those that the requests of `cell` do not show. */
  notShownAt(cell: number): readonly Rewrite[] {
    return this.#all.filter(({ due, done }) => due >= cell || done === undefined || done > cell)
  }

  /** The first position from `position` on at which one waits. */
  firstWaiting(position: number): number | undefined {
    let first: number | undefined
    for (const waiting of this.#waiting)
      if (waiting.position >= position && (first === undefined || waiting.position < first))
        first = waiting.position
    return first
  }

  /** Those that the requests of `cell` show. */
  shownAt(cell: number): readonly Rewrite[] {
    return this.#all.filter(({ due, done }) => due < cell && done !== undefined && done <= cell)
  }
}
