/** A cell to be saved, or as it is open now. */
export interface TextCell {
  readonly text: string
  readonly id?: string | undefined
}

/**
 * The ids of the cells that are saved. The saved notebook is a moment older or newer than the open one, so cells are
 * found by their text. Cells that were edited since are found by their position among the rest.
 */
export function pairedIds(
  saved: readonly { readonly text: string }[],
  open: readonly TextCell[],
): readonly (string | undefined)[] {
  if (saved.length === open.length) return open.map(({ id }) => id)
  const left = [...open]
  const found = saved.map(({ text }) => {
    const at = left.findIndex((cell) => cell.text === text)
    return at === -1 ? undefined : left.splice(at, 1)[0]
  })
  return found.map((cell) => (cell ?? left.shift())?.id)
}

/**
 * One id per cell, each only once. Of cells with the same id, the one that had it before keeps it; a copy may be above
 * its original. If none had it, the first one does.
 */
export function ownIds(
  cells: readonly { readonly id: string | undefined; readonly before: string | undefined }[],
  newId: () => string,
): readonly string[] {
  const originals = new Set(
    cells.flatMap(({ id, before }) => (id !== undefined && id === before ? [id] : [])),
  )
  const seen = new Set<string>()
  return cells.map(({ id, before }) => {
    const isOwn = id !== undefined && !seen.has(id) && (id === before || !originals.has(id))
    const own = isOwn ? id : newId()
    seen.add(own)
    return own
  })
}
