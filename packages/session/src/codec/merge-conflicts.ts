import { safeJson } from '@mutsumi/schema'
import type { ConflictMarker } from './decode-line.js'

/** Two versions of a session that git left in one file. The lines of both sides are read. */
export interface Conflict {
  /** The numbers of the marker lines, from the first to the last. */
  readonly markers: readonly number[]
  /** Git's names for the two sides. */
  readonly ours: string
  readonly theirs: string
  /** Says what happened and what to do. */
  readonly message: string
}

/** Finds conflicts by their marker lines, including broken ones with a missing marker. */
export class MergeConflicts {
  readonly #found: Conflict[] = []
  #open: { markers: number[]; ours: string; theirs: string } | undefined

  take(line: number, { marker, label }: { readonly marker: ConflictMarker; readonly label: string }): void {
    if (marker === '<<<<<<<') this.#close()
    this.#open ??= { markers: [], ours: '', theirs: '' }
    this.#open.markers.push(line)
    if (marker === '<<<<<<<') this.#open.ours = label
    if (marker !== '>>>>>>>') return
    this.#open.theirs = label
    this.#close()
  }

  end(): readonly Conflict[] {
    this.#close()
    return this.#found
  }

  #close(): void {
    if (!this.#open) return
    const { markers, ours, theirs } = this.#open
    this.#found.push({ markers, ours, theirs, message: explain(markers, ours, theirs) })
    this.#open = undefined
  }
}

function explain(markers: readonly number[], ours: string, theirs: string): string {
  const sides = ours || theirs ? ` (${safeJson(ours)} and ${safeJson(theirs)})` : ''
  const where = markers.length === 1 ? `line ${markers[0]}` : `lines ${markers[0]} to ${markers.at(-1)}`
  return (
    `git left two versions${sides} in ${where}. Delete the marker lines (${markers.join(', ')}) ` +
    'and keep the lines of both sides, or of one of them; then open the session again.'
  )
}
