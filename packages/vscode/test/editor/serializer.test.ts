import { buildInteractionHistory, ContextEngine } from '@mutsumi/context'
import type { SessionHeader, SessionRecord } from '@mutsumi/schema'
import { encodeHeader, encodeRecord } from '@mutsumi/session'
import { expect, test, vi } from 'vitest'
import { LiveRounds } from '../../src/editor/live-rounds.js'
import { LostEdits } from '../../src/editor/lost-edits.js'
import { NotebookFiles } from '../../src/editor/notebook-files.js'
import { SessionSerializer } from '../../src/editor/serializer.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { tools } from '../support/notebook.js'

vi.mock('vscode', () => {
  const disposable = { dispose: () => undefined }
  const item = (mime: string) => ({ mime })
  return {
    NotebookCellKind: { Markup: 1, Code: 2 },
    NotebookCellData: class {
      constructor(
        readonly kind: number,
        readonly value: string,
        readonly languageId: string,
      ) {}
    },
    NotebookData: class {
      constructor(readonly cells: unknown[]) {}
    },
    NotebookCellOutput: class {
      constructor(readonly items: unknown[]) {}
    },
    NotebookCellOutputItem: {
      json: (_: unknown, mime: string) => item(mime),
      text: (_: string, mime: string) => item(mime),
    },
    EventEmitter: class {
      readonly event = () => disposable
      readonly fire = () => undefined
    },
    Disposable: { from: () => disposable },
    env: { language: 'en' },
    l10n: { t: (text: string) => text },
    window: { onDidChangeActiveNotebookEditor: () => disposable },
    workspace: {
      notebookDocuments: [],
      onDidChangeNotebookDocument: () => disposable,
      onDidCloseNotebookDocument: () => disposable,
      onDidOpenNotebookDocument: () => disposable,
      onDidSaveNotebookDocument: () => disposable,
    },
  }
})

const html = '<img src=x onerror="alert(1)"><script>alert(1)</script>'
const at = '2026-03-01T09:00:00.000Z'
const header: SessionHeader = {
  ...{ type: 'session', format: 'mutsumi', version: 1, id: 'x', created: at },
  metadata: {},
}
/** With sums, because lines without one are not shown at all. */
const bytesOf = (...records: readonly object[]) =>
  Buffer.from(
    [encodeHeader(header), ...records.map((record) => encodeRecord(record as SessionRecord)), ''].join('\n'),
  )

function shown(bytes: Uint8Array) {
  const files = new NotebookFiles()
  const serializer = new SessionSerializer(files, new LiveRounds(), new LostEdits(files))
  const data = serializer.deserializeNotebook(bytes)
  return { files, data, cells: data.cells }
}

test('Z4 N8 no text of a file is a Markdown cell or a Markdown output: HTML in them would be live', () => {
  const cell = (id: string, more: object) => ({ type: 'cell', id, at, role: 'user', content: html, ...more })
  const { cells } = shown(
    bytesOf(
      cell('a', { metadata: { kind: 'markup' } }),
      ...['assistant', 'system', 'summary', 'tool', 'evil'].map((role) => cell(role, { role })),
      cell('b', {}),
      { type: 'step', id: 's', at, cell: 'b', step: 1, content: html, final: true },
      cell('c', { metadata: { kind: 'markup' } }),
      { type: 'step', id: 't', at, cell: 'c', step: 1, content: html, final: true },
    ),
  )
  expect(cells.map(({ kind, languageId }) => [kind, languageId])).toEqual([
    ...Array.from({ length: 6 }, () => [2, 'mutsumi-note']),
    // The last one is the empty prompt at the end.
    ...Array.from({ length: 3 }, () => [2, 'mutsumi']),
  ])
  const outputs = cells.flatMap(({ outputs: all = [] }) => all.flatMap(({ items }) => items))
  expect([...new Set(outputs.map(({ mime }) => mime))]).toEqual([
    'application/vnd.mutsumi.round+json',
    'text/plain',
  ])
})

test('Z4 the explanation of a damaged session is plain text too', () => {
  const damaged = Buffer.concat([bytesOf(), Buffer.from(`{"type":"${html.replaceAll('"', '\\"')}"\n`)])
  const { cells } = shown(damaged)
  expect(cells[0]?.value).toContain('This session is open for reading only.')
  expect(cells.map(({ kind }) => kind)).toEqual([2])
})

const note = {
  kind: 1,
  value: '#define WHO nobody\na **note** @[a.ts]',
  languageId: 'markdown',
  metadata: {},
}
const prompt = { kind: 2, value: 'a question', languageId: 'mutsumi', metadata: {} }

test('Z4 a Markdown cell is saved as a note, opens as plain text, stays a note, and is never sent', async () => {
  const save = (cells: readonly object[], files = new NotebookFiles(), metadata = {}) =>
    files.save({ cells, metadata } as unknown as Parameters<NotebookFiles['save']>[0])
  const bytes = await save([note, prompt])
  const { data, cells, files } = shown(bytes)
  expect(cells.map(({ languageId, value }) => [languageId, value])).toEqual([
    ['mutsumi-note', note.value],
    ['mutsumi', prompt.value],
  ])
  // Saved once more without a change: nothing is added.
  expect(Buffer.from(await files.save(data)).equals(Buffer.from(bytes))).toBe(true)
  const { session } = openNotebook(bytes, tools)
  const engine = new ContextEngine({
    reader: { root: '/w', read: () => ({ kind: 'missing' }), list: () => [] },
    tools: { run: async () => ({}) },
    hash: (text: string) => text,
  } as never)
  const { messages } = await buildInteractionHistory(session, 2, 'and now, {{WHO}}?', engine)
  expect(JSON.stringify(messages)).not.toContain('**note**')
  expect(JSON.stringify(messages)).toContain('a question')
  expect(messages.at(-1)?.content).not.toContain('nobody')
})

test('H2 an empty prompt waits after an answer, not after a question that waits itself, and is never written', async () => {
  const question = { type: 'cell', id: 'a', at, role: 'user', content: 'one' }
  const answer = { type: 'step', id: 's', at, cell: 'a', step: 1, content: 'yes', final: true }
  const texts = (bytes: Uint8Array) => shown(bytes).cells.map(({ value }) => value)
  expect([texts(bytesOf()), texts(bytesOf(question))]).toEqual([[''], ['one']])
  const bytes = bytesOf(question, answer)
  const { files, data } = shown(bytes)
  expect(data.cells.map(({ value }) => value)).toEqual(['one', ''])
  expect(Buffer.from(await files.save(data)).equals(bytes)).toBe(true)
})
