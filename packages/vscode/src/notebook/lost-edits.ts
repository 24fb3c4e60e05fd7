/** A cell of a notebook at some moment. */
export interface ReadCell {
  /** Undefined if the cell was never saved. */
  readonly id: string | undefined
  readonly text: string
  readonly language: string
  readonly kind: number
}

export interface LostCells {
  /** Cells whose text was edited after the reading, with that text. */
  readonly changed: readonly (ReadCell & { readonly id: string })[]
  /** Cells that were added after the reading. */
  readonly added: readonly ReadCell[]
}

/** The edits that were made after a file was read, and that its reading then took away: `removed` has their cells. */
export function lostEdits(read: readonly ReadCell[], removed: readonly ReadCell[]): LostCells {
  const before = new Map(read.map((cell) => [cell.id, cell.text]))
  const texts = new Set(read.map(({ text }) => text))
  const wasRead = ({ id }: ReadCell) => id !== undefined && before.has(id)
  return {
    changed: removed.flatMap((cell) => {
      const { id } = cell
      return id !== undefined && wasRead(cell) && before.get(id) !== cell.text ? [{ ...cell, id }] : []
    }),
    // The text is compared too, because a cell that runs again gets a new id. A reading has an empty cell of its own.
    added: removed.filter((cell) => !wasRead(cell) && cell.text.trim() !== '' && !texts.has(cell.text)),
  }
}
