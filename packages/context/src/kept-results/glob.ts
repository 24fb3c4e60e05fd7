import type { Json } from '@mutsumi/schema'
import { firstItems, listOf, shortItem } from './list.js'
import { keepValues, supplement, type ToolRule } from './tool-rule.js'

/** The pattern, how many files it found, and the first of them. */
export const globRule: ToolRule = {
  identity: ['pattern', 'path', 'total'],
  keep(result) {
    const list = listOf('paths', result)
    const counted = list ? supplement(result, { total: list.total }) : result
    const values = keepValues(counted, { called: ['pattern', 'path'], found: ['total'] })
    return list ? { ...values, paths: firstItems(list.items, result.kept.glob, pathOf) } : values
  },
}

function pathOf(item: Json): string | undefined {
  return typeof item === 'string' ? shortItem(item) : undefined
}
