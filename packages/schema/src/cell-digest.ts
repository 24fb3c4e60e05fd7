import type { SessionCell } from './session.js'

/** Known facts about a cell whose text and interaction were not read yet. */
export interface CellDigest {
  readonly role: string
  /** Neither `#` nor `@` is in its text. */
  readonly isPlain: boolean
  /** The ids of the calls in its interaction, in order. */
  readonly calls: readonly string[]
  /** The names of the tools whose results are in its interaction, each once. */
  readonly tools: readonly string[]
}

const digests = new WeakMap<SessionCell, CellDigest>()

/** Undefined for most cells: the store gives digests only to those that it reads on demand. */
export function digestOf(cell: SessionCell): CellDigest | undefined {
  return digests.get(cell)
}

/** Adds a digest to a cell that is never changed in place. Returns the cell. */
export function withDigest(cell: SessionCell, digest: CellDigest): SessionCell {
  digests.set(cell, digest)
  return cell
}
