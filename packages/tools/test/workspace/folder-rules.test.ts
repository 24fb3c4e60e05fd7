import { expect, test } from 'vitest'
import { createSessionMemory, createToolRunner, Workspace } from '../../src/index.js'
import { markAsRead } from '../../src/session-memory/mark-as-read.js'
import { read } from '../../src/tools/read.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Reads files of a workspace one after the other, as one session does. */
function session(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder(files)
  const workspace = new Workspace({ root: folder.path })
  const memory = createSessionMemory()
  const runner = createToolRunner({ workspace, tools: [read], memory })
  const allowed = [workspace.root]
  const readFile = async (path: string) => {
    const { text, data } = await runner.run({ name: 'Read', args: { path } }, { allowed })
    const notes = text.split('\n').filter((line) => line.startsWith('Note: '))
    return { notes, note: (data as { notes?: string[] }).notes?.[0] }
  }
  return { workspace, memory, allowed, readFile }
}

const files = {
  'AGENTS.md': 'root',
  'root.ts': '',
  'packages/CLAUDE.md': 'packages',
  'packages/web/AGENTS.md': 'web',
  'packages/web/CLAUDE.md': 'not this one',
  'packages/web/src/a.ts': 'a',
  'packages/web/src/b.ts': 'b',
}

test('L2 T5 the first Read below a folder with rules names them, once in a session', async () => {
  const { readFile } = session(files)
  const note =
    'packages/CLAUDE.md and packages/web/AGENTS.md have rules for this folder; read them before you change files here.'
  expect(await readFile('root.ts')).toEqual({ notes: [], note: undefined })
  expect(await readFile('packages/web/src/a.ts')).toEqual({
    notes: [`Note: ${note}`],
    note: `Note: ${note}`,
  })
  expect(await readFile('packages/web/src/b.ts')).toEqual({ notes: [], note: undefined })
})

test('L2 T5 rules that the model has read or was shown are not named', async () => {
  const own = session(files)
  expect((await own.readFile('packages/web/AGENTS.md')).note).toMatch(/^Note: packages\/CLAUDE\.md has rules/)
  const shown = session(files)
  const { workspace, allowed, memory } = shown
  for (const path of ['packages/CLAUDE.md', 'packages/web/AGENTS.md'])
    markAsRead(`${workspace.root}/${path}`, { workspace, allowed, files: memory.files })
  expect((await shown.readFile('packages/web/src/a.ts')).note).toBeUndefined()
})
