import type { CellRecord, EditRecord, SessionCell, SessionRecord } from '@mutsumi/schema'
import { cellRecords, type NewCellPlace, type RecordMaker } from './interaction-records.js'
import { longestIncreasing } from './longest-increasing.js'

/**
 * The fewest records that turn a session's cells into those that another program or a person left. A cell is found
 * again by its id, else by its text. Interactions of remaining cells are not compared, because others must not change
 * them.
 */
export function diffCells(
  all: readonly SessionCell[],
  allOthers: readonly SessionCell[],
  maker: RecordMaker,
): readonly SessionRecord[] {
  const same = sameBeginning(all, allOthers)
  const cells = all.slice(same)
  const others = allOthers.slice(same)
  const found = findAgain(cells, others)
  const staying = new Set(longestIncreasing(found.filter((at) => at !== undefined)))
  const lastFound = found.findLastIndex((at) => at !== undefined)
  const idOf = newCellIds(all, maker)
  const records: SessionRecord[] = [...deletions(cells, new Set(found), maker)]
  const before = all[same - 1]
  let after: string | null = before ? nameOf(before) : null
  for (const [index, other] of others.entries()) {
    const at = found[index]
    const known = at === undefined ? undefined : cells[at]
    const id = known ? nameOf(known) : idOf(other)
    const staysInPlace = at === undefined ? index > lastFound : staying.has(at)
    const place: NewCellPlace = staysInPlace ? { id } : { id, after }
    const made = known ? changes(known, other, place, maker) : cellRecords(other, place, maker)
    records.push(...made)
    after = made.findLast(({ type }) => type === 'cell')?.id ?? id
  }
  return records
}

/** How many cells at the beginning are the same. People mostly write at the end of long sessions. */
function sameBeginning(cells: readonly SessionCell[], others: readonly SessionCell[]): number {
  const end = Math.min(cells.length, others.length)
  let at = 0
  while (at < end && isSame(cells[at], others[at])) at += 1
  return at
}

function isSame(cell: SessionCell | undefined, other: SessionCell | undefined): boolean {
  const id = other?.metadata?.id
  return (
    id !== undefined &&
    id === cell?.metadata?.id &&
    other?.content === cell.content &&
    (other.metadata?.role ?? 'user') === (cell.metadata?.role ?? 'user')
  )
}

/** For each of the other program's cells, the position of the same cell in the session. */
function findAgain(
  cells: readonly SessionCell[],
  others: readonly SessionCell[],
): readonly (number | undefined)[] {
  const byId = new Map(cells.map((cell, at) => [cell.metadata?.id, at]))
  const taken = new Set<number>()
  const found = others.map(({ metadata }) =>
    take(metadata?.id === undefined ? undefined : byId.get(metadata.id), taken),
  )
  const byText = new Map<string, number[]>()
  for (const [at, cell] of cells.entries()) {
    if (taken.has(at)) continue
    const same = byText.get(textKey(cell))
    if (same) same.push(at)
    else byText.set(textKey(cell), [at])
  }
  return found.map((at, index) => at ?? byText.get(textKey(others[index] as SessionCell))?.shift())
}

/** If a cell was copied with its id, only one copy is matched. */
function take(at: number | undefined, taken: Set<number>): number | undefined {
  if (at === undefined || taken.has(at)) return undefined
  taken.add(at)
  return at
}

function textKey({ content, metadata }: SessionCell): string {
  return `${metadata?.role ?? 'user'}\n${content}`
}

/** A new cell keeps the id that its program gave it, if that id is free. */
function newCellIds(
  cells: readonly SessionCell[],
  { newId, isFree = () => false }: RecordMaker,
): (cell: SessionCell) => string {
  let used: Set<string> | undefined
  return ({ metadata }) => {
    used ??= new Set(cells.map(nameOf))
    const own = metadata?.id
    const id = typeof own === 'string' && own !== '' && !used.has(own) && isFree(own) ? own : newId()
    used.add(id)
    return id
  }
}

function nameOf({ metadata }: SessionCell): string {
  return metadata?.id ?? ''
}

function deletions(
  cells: readonly SessionCell[],
  found: ReadonlySet<number | undefined>,
  { newId, at }: RecordMaker,
): readonly EditRecord[] {
  return cells.flatMap((cell, index) =>
    found.has(index) ? [] : [{ type: 'edit', id: newId(), at, cell: nameOf(cell), deleted: true }],
  )
}

function changes(
  cell: SessionCell,
  other: SessionCell,
  { id, after }: NewCellPlace,
  maker: RecordMaker,
): readonly EditRecord[] {
  const role = other.metadata?.role ?? 'user'
  const change = {
    ...(other.content !== cell.content && { content: other.content }),
    ...(role !== (cell.metadata?.role ?? 'user') && { role: role as CellRecord['role'] }),
    ...(after !== undefined && { after }),
  }
  if (Object.keys(change).length === 0) return []
  return [{ type: 'edit', id: maker.newId(), at: maker.at, cell: id, ...change }]
}
