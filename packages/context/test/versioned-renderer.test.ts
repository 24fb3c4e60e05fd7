import type { SavedItem } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { GhostRenderer } from '../src/render/ghost-block.js'
import { VersionedRenderer } from '../src/render/versioned-renderer.js'
import { lengthTokenCounter } from './support/engine.js'

test('G6 a block that has lost an item since the last build is written anew, though the same was sent', () => {
  const renderer = new VersionedRenderer(new GhostRenderer('json', lengthTokenCounter))
  const sent: SavedItem[] = ['a.ts', 'b.ts'].map((key) => ({ type: 'file', key }))
  const items = ['a.ts', 'b.ts'].map((key) => {
    return { id: `file:${key}`, type: 'file', key, content: `text of ${key}` } as const
  })
  const plan = { earlier: [], newest: undefined, sent, removed: [] }
  const both = renderer.renderer(plan)({ items, changes: true, upTo: 2 })
  expect(both).toContain('text of a.ts')
  expect(renderer.renderer(plan)({ items: [...items], changes: true, upTo: 2 })).toBe(both)
  const one = renderer.renderer(plan)({ items: items.slice(1), changes: true, upTo: 2 })
  expect(one).not.toContain('text of a.ts')
  expect(one).toContain('text of b.ts')
})
