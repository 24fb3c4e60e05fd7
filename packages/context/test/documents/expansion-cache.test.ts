import type { Reading } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { type Expanded, ExpansionBuilder } from '../../src/documents/expanded.js'
import { ExpansionCache } from '../../src/documents/expansion-cache.js'
import { MacroContext } from '../../src/documents/macro-context.js'

function expansion(content: string, ...readings: readonly Reading[]): Expanded {
  const out = new ExpansionBuilder('a.md')
  out.pieces.push(content)
  for (const [index, reading] of readings.entries()) out.depend({ path: `/ws/${index}`, reading })
  return out.finish(new MacroContext())
}

function file(text: string): Reading {
  return { kind: 'file', text, hash: '', size: text.length, truncated: false }
}

/** Which of the expansions 0, 1, 2… are still there. */
function kept(cache: ExpansionCache, count: number): number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) => cache.get(String(index)))
}

test('S4 the cache keeps expansions up to a number of characters and drops the longest unused first', () => {
  const cache = new ExpansionCache(10_000)
  for (let index = 0; index < 4; index++) cache.set(String(index), expansion('x'.repeat(2000)))
  cache.get('0')
  cache.set('4', expansion('x'.repeat(2000)))
  expect(kept(cache, 5)).toEqual([0, 2, 3, 4])
})

test('S4 the sources of expansions count too, once for all expansions that share them', () => {
  const shared = file('y'.repeat(5000))
  const cache = new ExpansionCache(10_000)
  for (let index = 0; index < 10; index++) cache.set(String(index), expansion('x', shared))
  expect(kept(cache, 10)).toHaveLength(10)
  cache.set('10', expansion('x', file('z'.repeat(6000))))
  expect(kept(cache, 11)).toEqual([10])
})

test('S4 a new expansion replaces the old one', () => {
  const cache = new ExpansionCache(10_000)
  for (let round = 0; round < 100; round++)
    cache.set('0', expansion('x'.repeat(4000), file('y'.repeat(4000))))
  cache.set('1', expansion('x'))
  expect(kept(cache, 2)).toEqual([0, 1])
})
