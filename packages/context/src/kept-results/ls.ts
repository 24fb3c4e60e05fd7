import { isJsonObject, type Json } from '@mutsumi/schema'
import { firstItems, listOf, shortItem } from './list.js'
import { keepValues, supplement, type ToolRule } from './tool-rule.js'

/** The folder, how much is in it, and the first entries: `src/` is a folder, `a.ts` is a file. */
export const lsRule: ToolRule = {
  identity: ['path', 'offset', 'total', 'listed'],
  keep(result) {
    const list = listOf('entries', result)
    const counted = list ? supplement(result, { total: list.total, ...countKinds(list.items) }) : result
    const values = keepValues(counted, { called: ['path', 'offset'], found: ['total', 'listed'] })
    return list ? { ...values, entries: firstItems(list.items, result.kept.ls, nameOf) } : values
  },
}

function nameOf(entry: Json): string | undefined {
  if (typeof entry === 'string') return shortItem(entry)
  if (!isJsonObject(entry) || typeof entry.path !== 'string') return undefined
  return shortItem(entry.type === 'directory' ? `${entry.path}/` : entry.path)
}

/** Bare names, as kept here, no longer show everything that was listed. */
function countKinds(entries: readonly Json[]): { readonly listed?: string } {
  const kinds = entries.filter(isJsonObject)
  if (kinds.length === 0) return {}
  const folders = kinds.filter(({ type }) => type === 'directory').length
  const files = kinds.length - folders
  return {
    listed: `${folders} ${folders === 1 ? 'directory' : 'directories'}, ${files} ${files === 1 ? 'file' : 'files'}`,
  }
}
