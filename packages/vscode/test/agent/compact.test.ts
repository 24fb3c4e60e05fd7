import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compactFile, nothingReading, planCompaction, undoNewest } from '../../src/agent/compact.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { partsIn, played } from '../support/folder.js'
import { sessionBytes, tools } from '../support/notebook.js'

let root: string
const path = () => join(root, 'talk.mtm')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-compact-'))
})
afterEach(() => rm(root))

function rm(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** A session with so many rounds. */
function write(rounds: number): void {
  const long = 'because it is so. '.repeat(200)
  const all = Array.from({ length: rounds }, (_, index) => [`Why ${index}?`, long] as const)
  writeFileSync(path(), sessionBytes(...all))
}

test('H2 N19g if there is nothing to compact, the reason and its numbers are known', async () => {
  write(3)
  const parts = await partsIn(root, played())
  const plan = async (own: typeof parts) =>
    nothingReading(
      own,
      await planCompaction(own, { disk: openNotebook(readFileSync(path()), tools), added: [] }),
    )
  expect(await plan(parts)).toMatchObject({ why: 'all-rounds-stay', rounds: 3, keptRounds: 10 })
  expect((await plan(parts)).before).toBeGreaterThan(1000)
  const settings = { ...parts.run.settings, retainTokens: 20_000 }
  const other = { ...parts, run: { ...parts.run, settings } }
  expect(await plan(other)).toMatchObject({ why: 'all-tokens-stay', keptTokens: 20_000 })
  const few = { ...parts, run: { ...parts.run, settings: { ...parts.run.settings, retainRounds: 1 } } }
  expect((await plan(few)).why).toBe('not-shorter')
})

test('H2 N19h Undo Compaction says how many rounds are sent again, and if there is nothing to undo', async () => {
  write(14)
  expect(await undoNewest(path())).toBeUndefined()
  const parts = await partsIn(root, { ...played('A summary.'), writesSummaries: false })
  await compactFile(parts, path(), new AbortController().signal)
  expect(await undoNewest(path())).toBe(4)
  expect(await undoNewest(path())).toBeUndefined()
})
