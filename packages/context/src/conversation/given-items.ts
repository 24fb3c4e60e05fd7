import { type GivenItems, isJsonObject, type SessionCell } from '@mutsumi/schema'

/** The items that came with the message of a cell. */
export interface GivenCell {
  readonly cell: number
  readonly given: GivenItems
}

/** Reads the record of a cell, and checks it, because sessions are edited by hand. */
export function recordedGiven({ metadata }: SessionCell): GivenItems | undefined {
  const given: unknown = metadata?.given
  if (!isJsonObject(given) || !Array.isArray(given.pieces) || !isTexts(given.has)) return undefined
  if (given.base !== undefined && !isTexts(given.base)) return undefined
  return given as unknown as GivenItems
}

function isTexts(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string')
}

/** Messages before the last one with a fresh block no longer carry anything. */
export function sinceFresh(cells: readonly GivenCell[]): readonly GivenCell[] {
  const fresh = cells.findLastIndex(({ given }) => given.fresh)
  return fresh === -1 ? cells : cells.slice(fresh)
}

/** The version of each item that the model has: by the item's id, the hash of its content. */
export function modelHas(cells: readonly GivenCell[]): ReadonlyMap<string, string> {
  const has = new Map<string, string>()
  for (const { given } of cells)
    for (const [id, hash] of Object.entries(given.has)) {
      // A diff is useless if the model does not have the version before it.
      if (given.base?.[id] !== undefined && given.base[id] !== has.get(id)) has.delete(id)
      else has.set(id, hash)
    }
  return has
}
