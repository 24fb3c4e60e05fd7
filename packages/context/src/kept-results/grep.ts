import { isJsonObject, type Json } from '@mutsumi/schema'
import { firstItems, listOf, shortItem } from './list.js'
import { keepValues, supplement, type ToolRule } from './tool-rule.js'

/** The pattern, how many lines matched, and the first with file and line. */
export const grepRule: ToolRule = {
  identity: ['pattern', 'path', 'include', 'total'],
  keep(result) {
    const list = listOf('matches', result)
    // A truncated list does not show how many there are.
    const isAll = result.data.truncated !== true
    const counted = list && isAll ? supplement(result, { total: list.total }) : result
    const values = keepValues(counted, { called: ['pattern', 'path', 'include'], found: ['total'] })
    return list ? { ...values, matches: firstItems(list.items, result.kept.grep, matchOf) } : values
  },
}

/** A match without the lines around it; `a.ts:12:text` if it is a line from another program. */
function matchOf(item: Json): Json | undefined {
  if (typeof item === 'string') return shortItem(item)
  if (!isJsonObject(item) || typeof item.file !== 'string') return undefined
  return {
    file: shortItem(item.file),
    ...(typeof item.line === 'number' && { line: item.line }),
    ...(typeof item.text === 'string' && { text: shortItem(item.text) }),
  }
}
