import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePath, describeReference } from '../../src/agent/describe-reference.js'
import { mentionAt } from '../../src/agent/mention-place.js'
import { openParts } from '../../src/agent/open-parts.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-hover-'))
  writeFileSync(join(root, 'a.ts'), 'one\ntwo\nthree\n')
})
afterEach(() => rmSync(root, { recursive: true }))

test.for([
  ['a.ts:2:2', { kind: 'file', lines: 1, sample: 'two', language: 'ts' }],
  ['a.ts:2:3', { kind: 'file', lines: 2, sample: 'two\nthree' }],
  ['a.ts', { kind: 'file', lines: 4 }],
  ['none.ts', { kind: 'fault' }],
] as const)('H2 hover on @[%s] describes what the request gets', async ([reference, described]) => {
  expect(await describeReference(await parts(), reference)).toMatchObject(described)
})

test('H2 F2 hover on @a.ts describes the file that the prompt mentions', async () => {
  const opened = await parts()
  const text = 'see @a.ts, not me@a.ts'
  const mention = await mentionAt(opened, text, 6)
  expect(mention).toEqual({ from: 4, to: 9, path: 'a.ts', kind: 'file', isIncluded: false })
  expect(await describePath(opened, { path: 'a.ts' })).toMatchObject({ kind: 'file', lines: 4 })
  expect(await mentionAt(opened, text, text.length - 2)).toBeUndefined()
})

function parts() {
  return openParts({
    ...{ root, trusted: false, folders: [], user: [], project: [], environment: {}, model: 'offline' },
    ...{ ask: async () => 'no' as const, note: () => undefined, stop: new AbortController().signal },
  })
}
