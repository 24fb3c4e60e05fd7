import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type LineInSession, searchPlaces } from '../../src/agent/search-places.js'
import { sessionBytes } from '../support/notebook.js'

async function found(
  roots: readonly string[],
  words: string,
  files: readonly string[] = [],
): Promise<readonly LineInSession[]> {
  const lines: LineInSession[] = []
  const { signal } = new AbortController()
  for await (const line of searchPlaces({ roots, files }, words, signal)) lines.push(line)
  return lines
}

test('H2 words are found in questions and answers of all folders, without the words of a protocol', async () => {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-search-'))
  const roots = ['one', 'two'].map((name) => join(root, name))
  for (const [index, folder] of roots.entries()) {
    mkdirSync(join(folder, '.mutsumi/sessions'), { recursive: true })
    const bytes = sessionBytes(
      ['Hello'],
      [`Where is the needle ${index}?`, 'Thought: hm\nAction: Finish[A needle.]'],
    )
    writeFileSync(join(folder, '.mutsumi/sessions/talk.mtm'), bytes)
  }
  const lines = await found(roots, 'NEEDLE')
  expect(
    lines.map(({ path, match }) => [path.slice(root.length + 1, root.length + 4), match.round, match.line]),
  ).toEqual([
    ['one', 2, 'Where is the needle 0?'],
    ['one', 2, 'A needle.'],
    ['two', 2, 'Where is the needle 1?'],
    ['two', 2, 'A needle.'],
  ])
  expect(await found(roots, 'Finish')).toEqual([])
  rmSync(root, { recursive: true })
})

test('H2 words are found in open notebooks and other files, and in each file once', async () => {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-search-'))
  const inside = join(root, '.mutsumi/sessions/inside.mtm')
  const notes = join(root, 'notes/talk.mtm')
  for (const path of [inside, notes]) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, sessionBytes(['A needle?', 'No.']))
  }
  const lines = await found([root], 'needle', [inside, notes, notes, join(root, 'gone.mtm')])
  expect(lines.map(({ path }) => path)).toEqual([inside, notes])
  rmSync(root, { recursive: true })
})
