import { ExistingObject } from './existing-object.js'
import type { SessionCell } from './session.js'

/** The facts about a cell whose text and interaction were not read yet. */
export interface CellDigest {
  readonly role: string
  /** Neither `#` nor `@` is in its text. */
  readonly isPlain: boolean
  /** The ids of the calls in its interaction, in order. */
  readonly calls: readonly string[]
  /** The names of the tools whose results are in its interaction, each once. */
  readonly tools: readonly string[]
}

/** Undefined for most cells: the store gives digests only to those that it reads on demand. */
export function digestOf(cell: SessionCell): CellDigest | undefined {
  return Digested.of(cell)
}

/** Adds a digest to a cell that is never changed in place. Returns the cell. */
export function withDigest(cell: SessionCell, digest: CellDigest): SessionCell {
  new Digested(cell, digest)
  return cell
}

/** A private field of the cell. */
class Digested extends ExistingObject {
  readonly #digest: CellDigest

  constructor(cell: object, digest: CellDigest) {
    super(cell)
    this.#digest = digest
  }

  static of(cell: object): CellDigest | undefined {
    return #digest in cell ? cell.#digest : undefined
  }
}
