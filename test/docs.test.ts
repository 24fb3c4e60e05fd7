import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

test('H1 every event of --stream-json is in the guide, and the guide names no other', () => {
  const types = [...textOf('packages/schema/src/event.ts').matchAll(/readonly type: '([a-z-]+)'/g)].map(
    ([, type]) => type,
  )
  const table = textOf('docs/guide/print-mode.md').split('| event |')[1]?.split('\n\n')[0] ?? ''
  const told = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, type]) => type)
  expect(types.length).toBeGreaterThan(10)
  expect(told.toSorted()).toEqual([...new Set(types)].toSorted())
})
