import type { ReportedItem } from '@mutsumi/context'
import { foldActs } from '@mutsumi/context/parts'
import { type ItemAct, type ItemType, nearestName, type Warning } from '@mutsumi/schema'
import { say } from '../words/say.js'

/** The names given to `--drop` and `--pin`. */
export interface NamedItems {
  readonly drop?: readonly string[]
  readonly pin?: readonly string[]
}

type Items = readonly Pick<ReportedItem, 'type' | 'key' | 'cell' | 'error'>[]

const types: readonly ItemType[] = ['file', 'tool', 'rule']

/** The acts that this run adds to the items with these names. A pin without an item includes a file. */
export function actsOn(items: Items, { drop = [], pin = [] }: NamedItems, root: string): ItemAct[] {
  const typesOf = (key: string) => types.filter((type) => find(items, { type, key, root }))
  return [
    ...drop.flatMap((key) => typesOf(key).map((type) => ({ act: 'drop', type, key }) as const)),
    ...pin.flatMap((key) => {
      const found = typesOf(key)
      if (found.length === 0 && isPattern(key)) return []
      return (found.length === 0 ? ['file' as const] : found).map(
        (type) => ({ act: 'pin', type, key }) as const,
      )
    }),
  ]
}

/** The items with a name: a file and a rule may share one. */
export function itemsNamed<Item extends Items[number]>(
  items: readonly Item[],
  key: string,
  root: string,
): readonly Item[] {
  return types.flatMap((type) => find(items, { type, key, root }) ?? [])
}

/** For each name without effect, suggests the one that was probably meant. `items` are those of the built request. */
export function unmatchedNames(items: Items, { drop = [], pin = [] }: NamedItems, root: string): Warning[] {
  const present = (key: string) => types.flatMap((type) => find(items, { type, key, root }) ?? [])
  const isLost = (key: string) => present(key).length === 0
  // An unreadable file that nothing mentions was included only by the pin.
  const isBroken = (key: string) =>
    present(key).every(({ type, cell, error }) => type === 'file' && cell === null && error)
  const names = items.filter(({ error }) => !error).map(({ key }) => key)
  return [
    ...drop
      .filter(isLost)
      .map((key) => unmatched(say`--drop ${key} does not match an item of this request`, key, names)),
    ...pin.filter(isBroken).map((key) => (isPattern(key) ? onePinOnly(key) : unmatchedPin(key, names))),
  ]
}

/** Files and tools may be spelled in any way that a reference may. */
function find<Item extends Items[number]>(
  items: readonly Item[],
  { type, key, root }: { type: ItemType; key: string; root: string },
): Item | undefined {
  const { dropped: ids } = foldActs([{ act: 'drop', type, key }], root)
  return items.find((item) => item.type === type && ids.has(`${item.type}:${item.key}`))
}

/** Pinned items are named one by one, because the matches of a pattern change with every new file. */
function isPattern(key: string): boolean {
  return /[*?]/.test(key)
}

function onePinOnly(key: string): Warning {
  const message = say`--pin takes one item, but ${key} is a pattern; mention it as @[${key}] and pin the items that must stay`
  return { code: 'unmatched-item', message, source: 'command line' }
}

function unmatchedPin(key: string, names: readonly string[]): Warning {
  return unmatched(say`--pin ${key} matches neither an item nor a readable file`, key, names)
}

function unmatched(what: string, key: string, names: readonly string[]): Warning {
  const nearest = nearestName(key, names)
  const hint = nearest === undefined ? say`the table of items lists them` : say`did you mean ${nearest}?`
  return { code: 'unmatched-item', message: `${what}; ${hint}`, source: 'command line' }
}
