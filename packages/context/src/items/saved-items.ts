import { type AgentMetadata, isJsonObject, type Json, type SavedItem } from '@mutsumi/schema'
import type { PlacedItem } from './item-content.js'
import type { Collection } from './items.js'

/** The stored items of a session. It may have been edited by hand or by another program, so invalid items are skipped. */
export function readSavedItems({ contextItems }: AgentMetadata): readonly SavedItem[] {
  const items: unknown = contextItems
  return Array.isArray(items) ? items.filter(isSavedItem) : []
}

/** The data of this build that a later one needs: a tool's answer, a glob's matches, and that a file existed. */
export function savedItems(rules: readonly PlacedItem[], { items, globs, gone }: Collection): SavedItem[] {
  const saved = [...rules, ...items].map(({ content: item, cell }) => {
    const { id, type, key, content, hash, error, tool } = item
    return {
      type,
      key,
      ...(cell === undefined ? {} : { cell }),
      ...(hash === undefined ? {} : { hash }),
      ...(type === 'tool' ? { content } : {}),
      ...(error && !gone.has(id) ? { error } : {}),
      ...(tool ? { tool } : {}),
    }
  })
  return [...saved, ...globs]
}

/** The records of cells outside this build: later ones and compacted ones. Running a cell again must not lose them. */
export function otherRecords(
  { hidden, cell: current }: { hidden: number; cell: number },
  { before, now }: { before: readonly SavedItem[]; now: readonly SavedItem[] },
): SavedItem[] {
  const isOther = (cell: number | undefined) => cell !== undefined && (cell >= current || cell < hidden)
  const others = before.filter((item) => isOther(item.cell))
  if (others.length === 0) return []
  const known = new Set(now.map(recordId))
  return others.filter((item) => !known.has(recordId(item)))
}

export function recordId(item: SavedItem): string {
  return item.matches ? `glob:${item.key}` : `${item.type}:${item.key}`
}

function isSavedItem(item: unknown): item is SavedItem {
  if (!isJsonObject(item)) return false
  const { type, key, cell, hash, content, tool, matches, sent } = item
  return (
    // Older sessions also stored the sent text of files and rules.
    sent === undefined &&
    (type === 'rule' || type === 'file' || type === 'tool') &&
    typeof key === 'string' &&
    isAbsentOr('number', cell) &&
    isAbsentOr('string', hash) &&
    isAbsentOr('string', content) &&
    (tool === undefined ||
      (isJsonObject(tool) &&
        typeof tool.name === 'string' &&
        isJsonObject(tool.args) &&
        isShallow(tool.args))) &&
    (matches === undefined || (Array.isArray(matches) && matches.every((path) => typeof path === 'string')))
  )
}

/** Deeper than any real call. Endless nesting could not be written as JSON again. */
const deepest = 100

function isShallow(value: Json): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return true
}

function isAbsentOr(type: 'number' | 'string', value: unknown): boolean {
  return value === undefined || typeof value === type
}
