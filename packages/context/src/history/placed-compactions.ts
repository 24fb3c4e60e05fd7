import {
  type CellPlace,
  type Compaction,
  type CompactionAct,
  isJsonObject,
  type SessionCell,
} from '@mutsumi/schema'
import { fingerprint } from '../ground/fingerprint.js'
import { isCompaction } from './active-compactions.js'

/**
 * Compactions with their counts adjusted to the current cells. A compaction counts cells, but cells are inserted and
 * deleted by hand. So the counts follow the neighbouring cells, if those still exist. A `.mtm` file names them by id
 * and counts again by itself; in a plain session a cell is recognised by its text.
 */
export function placedCompactions(
  acts: readonly CompactionAct[],
  cells: readonly SessionCell[],
): readonly CompactionAct[] {
  const placed = acts.map((act) => (isCompaction(act) ? placedCompaction(act, cells) : act))
  return placed.some((act, index) => act !== acts[index]) ? placed : acts
}

function placedCompaction(made: Compaction, cells: readonly SessionCell[]): Compaction {
  const count = countAt(made.places?.cells, made.cells, cells)
  const upTo = Math.max(count, roundOf(made, cells) ?? countAt(made.places?.upTo, made.upTo, cells))
  return count === made.cells && upTo === made.upTo ? made : { ...made, cells: count, upTo }
}

/** Data stored with a compaction, so that its counts can be found again; undefined if ids do that. */
export function compactionPlaces(
  { cells: count, upTo }: Pick<Compaction, 'cells' | 'upTo'>,
  cells: readonly SessionCell[],
): Compaction['places'] {
  if (cells.every(({ metadata }) => typeof metadata?.id === 'string')) return undefined
  return { cells: placeAt(count, cells), upTo: placeAt(upTo, cells) }
}

function placeAt(count: number, cells: readonly SessionCell[]): CellPlace {
  const before = cells[count - 1]
  const behind = cells[count]
  return { ...(before && { before: printOf(before) }), ...(behind && { behind: printOf(behind) }) }
}

/** The cell in whose round the compaction happened. */
function roundOf({ within, upTo }: Compaction, cells: readonly SessionCell[]): number | undefined {
  if (typeof within !== 'string' || cells[upTo]?.metadata?.id === within) return undefined
  const index = cells.findIndex(({ metadata }) => metadata?.id === within)
  return index === -1 ? undefined : index
}

/**
 * The cell before the place decides, or the one after it, whichever moved less. If both are gone, the old number is
 * used.
 */
function countAt(place: unknown, count: number, cells: readonly SessionCell[]): number {
  if (!isJsonObject(place)) return count
  const before = nearest(place.before, count - 1, cells)
  const behind = nearest(place.behind, count, cells)
  const found = [...(before === undefined ? [] : [before + 1]), ...(behind === undefined ? [] : [behind])]
  found.sort((one, other) => Math.abs(one - count) - Math.abs(other - count))
  return found[0] ?? count
}

/** Texts repeat ("go on"). Of equal ones, the nearest to the old position is used. */
function nearest(print: unknown, from: number, cells: readonly SessionCell[]): number | undefined {
  if (typeof print !== 'string') return undefined
  for (let distance = 0; distance <= Math.max(from, cells.length - from); distance++)
    for (const index of [from - distance, from + distance]) {
      const cell = cells[index]
      if (cell && printOf(cell) === print) return index
    }
  return undefined
}

const prints = new WeakMap<SessionCell, { readonly content: string; readonly print: string }>()

/** Needed in every build, so each text is hashed once. */
function printOf(cell: SessionCell): string {
  const known = prints.get(cell)
  if (known?.content === cell.content) return known.print
  const print = fingerprint(cell.content)
  prints.set(cell, { content: cell.content, print })
  return print
}
