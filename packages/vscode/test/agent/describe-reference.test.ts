import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeReference } from '../../src/agent/describe-reference.js'
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
  const parts = await openParts({
    ...{ root, trusted: false, folders: [], user: [], project: [], environment: {}, model: 'offline' },
    ...{ ask: async () => 'no' as const, note: () => undefined, stop: new AbortController().signal },
  })
  expect(await describeReference(parts, reference)).toMatchObject(described)
})
