import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type LineInSession, searchFolders } from '../../src/agent/search-folders.js'
import { sessionBytes } from '../support/notebook.js'

async function found(roots: readonly string[], words: string): Promise<readonly LineInSession[]> {
  const lines: LineInSession[] = []
  for await (const line of searchFolders(roots, words, new AbortController().signal)) lines.push(line)
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
