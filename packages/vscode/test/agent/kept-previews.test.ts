import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionRecord } from '@mutsumi/schema'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EditedNotebook, KeptPreviews } from '../../src/agent/kept-previews.js'
import { openParts } from '../../src/agent/open-parts.js'
import { previewCell, requestOf } from '../../src/agent/preview-cell.js'
import type { AgentParts } from '../../src/agent/run-cell.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { notebookChanges } from '../../src/notebook/save-notebook.js'
import { action, finish, partsIn, played, ranCell } from '../support/folder.js'
import { sessionBytes, tools } from '../support/notebook.js'

let root: string
const path = () => join(root, 'talk.mtm')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-kept-'))
  writeFileSync(join(root, 'a.ts'), 'export const a = 1\n')
})
afterEach(() => rmSync(root, { recursive: true }))

/** The notebook of the file, with cells that have other texts than on disk. */
function edited(changed: Readonly<Record<string, string>> = {}): EditedNotebook {
  const disk = openNotebook(readFileSync(path()), tools)
  const cells = disk.session.cells.map(({ content, metadata }) => {
    const id = metadata?.id ?? ''
    return { content: changed[id] ?? content, metadata: { id } }
  })
  const known = new Set(cells.map(({ metadata }) => metadata.id))
  const { metadata } = disk.session
  const sources = { loaded: disk, disk, known, newId: tools.newId, at: tools.now() }
  return { path: path(), disk, added: notebookChanges({ cells, metadata }, sources) }
}

/** Previews with kept engines, and with new ones. Ids and times of the preview's own records are not part of it. */
async function both(parts: AgentParts, kept: KeptPreviews, preview: Parameters<typeof previewCell>[1]) {
  const [warm, fresh] = [await previewCell(parts, preview, kept), await previewCell(parts, preview)]
  expect(JSON.stringify(warm.messages)).toBe(JSON.stringify(fresh.messages))
  expect(warm).toEqual(fresh)
  return warm
}

test('H2 W4 a preview with a kept engine is that of a new one, whatever is edited, run or written meanwhile', async () => {
  writeFileSync(
    path(),
    sessionBytes(['Look at @[a.ts]', 'one'], ['#define WHO you\nAnd {{WHO}}?', 'two'], ['draft']),
  )
  const model = played(
    action('Read', { path: 'a.ts' }),
    action('Edit', { path: 'a.ts', old_string: '= 1', new_string: '= 2' }),
    finish('done'),
  )
  const parts = await partsIn(root, model)
  const kept = new KeptPreviews()
  const draft = (text: string, changed: Readonly<Record<string, string>> = {}) =>
    both(parts, kept, { notebook: edited({ c2: text, ...changed }), cell: 'c2', prompt: text })
  await draft('d')
  await draft('do @[a.ts]')
  await draft('read @[Read{"path":"a.ts"}] twice')
  await draft('read @[Read{"path":"a.ts"}] twice')
  // An earlier cell that is not saved yet, and one that runs again.
  await draft('do', { c0: 'Look away' })
  await draft('do', { c0: 'Look at @[a.ts]', c1: 'Nothing' })
  await both(parts, kept, { notebook: edited(), cell: 'c1', prompt: 'And me?' })
  const drop = { act: 'drop', type: 'file', key: 'a.ts' } as const
  await both(parts, kept, { notebook: edited(), prompt: 'next', acts: [drop] })
  await both(parts, kept, { notebook: edited(), prompt: 'next' })
  // A file of the workspace changes, then a round appends to the session.
  writeFileSync(join(root, 'a.ts'), 'export const a = 1 // new\n')
  await draft('do @[a.ts]')
  await ranCell(parts, 'c2', 'Change @[a.ts]')
  const after = await both(parts, kept, { notebook: edited(), prompt: 'Was it done? @[a.ts]' })
  expect(JSON.stringify(after.messages)).toContain('= 2')
  // Another program writes a shorter file.
  writeFileSync(path(), sessionBytes(['Other words', 'other']))
  const other = await both(parts, kept, { notebook: edited(), prompt: 'next' })
  expect(JSON.stringify(other.messages)).not.toContain('Look at')
  await parts.toolbox.close()
})

const long = (count: number) =>
  Array.from({ length: count }, (_, index) => [`Query ${index} @[a.ts]`, 'An answer. '.repeat(40)] as const)

test('H2 W4 the same holds if a compaction is due, which only the preview makes', async () => {
  writeFileSync(path(), sessionBytes(...long(60), ['draft']))
  const stop = new AbortController().signal
  const parts = await openParts({
    ...{ root, trusted: false, folders: [], project: [], environment: {}, offered: played(), stop },
    user: [{ key: 'contextWindow', value: '8000', label: 'contextWindow' }],
    ...{ ask: async () => 'no' as const, note: () => undefined },
  })
  const kept = new KeptPreviews()
  for (const text of ['d', 'dr', 'dra @[a.ts]', 'd']) {
    const notebook = edited({ c60: text })
    const [warm, fresh] = [
      await previewCell(parts, { notebook, cell: 'c60', prompt: text }, kept),
      await previewCell(parts, { notebook, cell: 'c60', prompt: text }),
    ]
    expect(warm.compaction).toBeDefined()
    expect(warm).toEqual(fresh)
  }
  await parts.toolbox.close()
})

test('H2 a preview after one letter reads one cell, however long the session is', async () => {
  writeFileSync(path(), sessionBytes(...long(400), ['draft']))
  const parts = await partsIn(root, played())
  const kept = new KeptPreviews()
  const first = edited({ c400: 'd' })
  await previewCell(parts, { notebook: first, cell: 'c400', prompt: 'd' }, kept)
  const touched = new Set<string>()
  const watched = (record: SessionRecord) =>
    new Proxy(record, {
      get(target, name) {
        touched.add(target.id)
        return Reflect.get(target, name)
      },
    })
  const { added } = edited({ c400: 'dr' })
  const disk = { ...first.disk, records: first.disk.records.map(watched) }
  await previewCell(parts, { notebook: { disk, added }, cell: 'c400', prompt: 'dr' }, kept)
  expect(touched.size).toBeLessThan(5)
  await parts.toolbox.close()
})

test('H2 W4 a preview has the long texts that are stored beside the file', async () => {
  writeFileSync(path(), sessionBytes(['Say much'], ['And then?']))
  writeFileSync(join(root, 'long.txt'), 'A long line of a file.\n'.repeat(5000))
  const answer = 'Much. '.repeat(20_000)
  const model = played(action('Read', { path: 'long.txt' }), finish(answer), finish('Fine.'))
  const parts = await partsIn(root, model)
  await ranCell(parts, 'c0', 'Say much')
  const preview = await previewCell(parts, { notebook: edited(), cell: 'c1', prompt: 'And then?' })
  await ranCell(parts, 'c1', 'And then?')
  expect(JSON.stringify(requestOf(preview))).toBe(JSON.stringify(model.requests[2]))
  expect(JSON.stringify(preview.messages)).toContain(answer.trim())
  await parts.toolbox.close()
})

test('H2 a long prompt, which the editor shows as a note, is sent as it was written', async () => {
  const long = `Count the letters: ${'abc '.repeat(20_000)}`
  // An answered cell that runs again becomes a new one with the text of the prompt.
  writeFileSync(path(), sessionBytes(['short', 'answered']))
  const model = played(finish('Many.'), finish('Still many.'), finish('As many.'))
  const parts = await partsIn(root, model)
  const { id } = await ranCell(parts, 'c0', long)
  const [shown] = openNotebook(readFileSync(path()), tools).session.cells
  const again = await ranCell(parts, id, shown?.content ?? '')
  const [shownAgain] = again.opened.session.cells
  expect(shownAgain?.content).toContain('is missing from the folder')
  const last = await ranCell(parts, again.id, shownAgain?.content ?? '')
  for (const { messages } of model.requests) expect(JSON.stringify(messages)).toContain(long.trim())
  const prompt = shownAgain?.content ?? ''
  const preview = await previewCell(parts, { notebook: edited(), cell: last.id, prompt })
  expect(JSON.stringify(preview.messages)).toContain(long.trim())
  await parts.toolbox.close()
})
