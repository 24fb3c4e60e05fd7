import { expect, test } from 'vitest'
import { contextTree, count, fileOfNode, itemState } from '../../src/notebook/context-tree.js'

const item = { type: 'file', key: 'a.ts', cell: 0, bytes: 3000, tokens: 1000, hash: 'x' } as const

test('H2 G8 the context view counts what is sent, and shows what is left out', () => {
  const tree = contextTree({
    model: 'offline',
    items: [
      item,
      { ...item, key: 'b.ts', dropped: true },
      { ...item, type: 'rule', key: 'r.md', pinned: true },
    ],
    projectRules: [{ name: 'AGENTS.md', tokens: 12 }],
    tokens: {
      total: 4200,
      byLayer: { L1: 200, L2: 12, L3: 0, user: 10, ghost: 2000, todo: 0 },
      window: 10_000,
      threshold: 8000,
    },
    macros: { LANG: 'German' },
  })
  expect(tree.map(({ id, description }) => [id, description])).toEqual([
    ['total', '4.2k / 8.0k (53 %)'],
    ['layers', ''],
    ['project', ''],
    ['rule', '1.0k'],
    ['file', '1.0k'],
    ['macros', ''],
  ])
  const [, layers] = tree
  expect(layers?.children?.map(({ name }) => name)).toEqual(['L1', 'L2', 'user', 'ghost'])
})

test('H2 tokens are short, and an item says what can be done with it', () => {
  expect([812, 4210, 160_000].map(count)).toEqual(['812', '4.2k', '160k'])
  expect(itemState({ ...item, pinned: true })).toBe('file pinned')
  expect(itemState({ ...item, dropped: true })).toBe('file dropped')
})

test('H2 files, rules and project rules can be opened from the view', () => {
  const node = (type: 'file' | 'rule' | 'tool', key: string) =>
    fileOfNode({ id: key, kind: 'item', label: key, description: '', item: { ...item, type, key } })
  expect(node('file', 'src/a.ts:3:9')).toBe('src/a.ts')
  expect(node('rule', 'style.md')).toBe('.mutsumi/rules/style.md')
  expect(node('rule', 'src/AGENTS.md')).toBe('src/AGENTS.md')
  expect(node('rule', 'user:style.md')).toBeUndefined()
  expect(node('tool', 'Grep{}')).toBeUndefined()
  expect(fileOfNode({ id: 'p', kind: 'project-rule', label: 'AGENTS.md', description: '' })).toBe('AGENTS.md')
  expect(fileOfNode({ id: 't', kind: 'total', label: 'total', description: '' })).toBeUndefined()
})
