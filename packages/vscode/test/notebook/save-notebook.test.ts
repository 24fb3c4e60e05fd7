import { isNoteCell } from '@mutsumi/schema'
import { encodeRecord, exportJson } from '@mutsumi/session'
import { expect, test } from 'vitest'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { saveNotebook } from '../../src/notebook/save-notebook.js'
import { cell, isSound, saved, sessionBytes, tools } from '../support/notebook.js'

const texts = ({ session }: { session: { cells: readonly { content: string }[] } }) =>
  session.cells.map(({ content }) => content)
const before = sessionBytes(['one', 'first'], ['two', 'second'], ['three'])
const all = [cell('one', 'c0'), cell('two', 'c1'), cell('three', 'c2')]

test('H2 saving an unchanged notebook writes the same bytes', () => {
  expect(Buffer.from(saved(before, all).bytes).equals(Buffer.from(before))).toBe(true)
})

test('H2 edits, moves, deletions and new cells are appended as records, and nothing before them changes', () => {
  const after = saved(before, [cell('three', 'c2'), cell('zero'), cell('one, please', 'c0')])
  expect(texts(after)).toEqual(['three', 'zero', 'one, please'])
  expect(Buffer.from(after.bytes).subarray(0, before.length).equals(Buffer.from(before))).toBe(true)
  expect(isSound(after.bytes)).toBe(true)
  expect(after.session.cells[2]?.metadata?.mutsumi_interaction).toMatchObject([{ content: 'first' }])
})

test('H2 the model of a notebook is recorded once, and so is its removal', () => {
  const loaded = openNotebook(before, tools)
  const record = (disk: Uint8Array, metadata: Readonly<Record<string, unknown>>) =>
    saveNotebook(
      { cells: all, metadata },
      {
        ...{ loaded, disk: openNotebook(disk, tools), known: new Set(['c0', 'c1', 'c2']) },
        ...{ newId: tools.newId, at: '2026-03-01T09:00:00.000Z' },
      },
    )
  const first = record(before, { model: 'a/b' })
  expect(first.added).toMatchObject([{ type: 'metadata', set: { model: 'a/b' } }])
  expect(record(first.bytes, { model: 'a/b' }).added).toEqual([])
  const taken = record(first.bytes, { model: null })
  expect(openNotebook(taken.bytes, tools).session.metadata.model).toBeUndefined()
  expect(record(taken.bytes, { model: null }).added).toEqual([])
})

test('P7 a cell whose deletion was saved comes back with its answer, at its place, and with later edits', () => {
  const deleted = saved(before, [cell('one', 'c0'), cell('three', 'c2')])
  expect(texts(deleted)).toEqual(['one', 'three'])
  for (const text of ['two', 'two!']) {
    const after = saved(deleted.bytes, [cell('one', 'c0'), cell(text, 'c1'), cell('three', 'c2')])
    expect(texts(after)).toEqual(['one', text, 'three'])
    expect(after.session.cells.map(({ metadata }) => metadata?.id)).toEqual(['c0', 'c1', 'c2'])
    expect(after.session.cells[1]?.metadata?.mutsumi_interaction).toMatchObject([{ content: 'second' }])
    expect(isSound(after.bytes)).toBe(true)
  }
  const moved = saved(deleted.bytes, [cell('three', 'c2'), cell('two', 'c1'), cell('one', 'c0')])
  expect(texts(moved)).toEqual(['three', 'two', 'one'])
  expect(moved.session.cells[1]?.metadata?.mutsumi_interaction).toMatchObject([{ content: 'second' }])
})

test('P7 a cell of an undone round does not come back with a save: it is a new question without an answer', () => {
  const undo = encodeRecord({
    type: 'undo',
    id: 'u',
    at: '2026-03-01T10:00:00.000Z',
    cells: ['c1'],
    files: [],
  })
  const undone = Buffer.concat([before, Buffer.from(`${undo}\n`)])
  expect(texts(openNotebook(undone, tools))).toEqual(['one', 'three'])
  const after = saved(undone, all)
  expect(texts(after)).toEqual(['one', 'two', 'three'])
  expect(after.session.cells[1]?.metadata?.mutsumi_interaction).toEqual([])
})

test('H2 N3 cells that another program appended meanwhile stay', () => {
  const disk = Buffer.concat([
    before,
    Buffer.from(
      `${encodeRecord({ type: 'cell', id: 't1', at: '2026-03-01T10:00:00.000Z', role: 'user', content: 'from a terminal' })}\n`,
    ),
  ])
  const after = saved(before, [cell('one', 'c0'), cell('two?', 'c1'), cell('three', 'c2')], { disk })
  expect(texts(after)).toEqual(['one', 'two?', 'three', 'from a terminal'])
})

test('Z4 H2 a question that becomes a note, and a note that becomes a question, are recorded; an answered cell stays one', () => {
  const note = (content: string, id: string) => ({ content, metadata: { id, kind: 'markup' } })
  const noted = saved(before, [note('one', 'c0'), cell('two', 'c1'), note('three', 'c2')])
  expect(noted.session.cells.map((each) => isNoteCell(each))).toEqual([false, false, true])
  expect(isSound(noted.bytes)).toBe(true)
  const again = saved(noted.bytes, [cell('one', 'c0'), cell('two', 'c1'), note('three', 'c2')])
  expect(Buffer.from(again.bytes).equals(Buffer.from(noted.bytes))).toBe(true)
  const asked = saved(noted.bytes, all)
  expect(asked.session.cells.map((each) => isNoteCell(each))).toEqual([false, false, false])
})

test('H2 an empty file becomes a session with its first save', () => {
  const after = saved(new Uint8Array(), [cell('hello')])
  expect(isSound(after.bytes)).toBe(true)
  expect(texts(after)).toEqual(['hello'])
})

test('N5 H2 the older JSON format opens, and the first save writes today’s', () => {
  const older = Buffer.from(JSON.stringify({ metadata: {}, context: [{ role: 'user', content: 'hello' }] }))
  const opened = openNotebook(older, tools)
  expect(opened.problems).toEqual([])
  expect(texts(opened)).toEqual(['hello'])
  const after = saved(older, opened.session.cells)
  expect(isSound(after.bytes)).toBe(true)
})

test.for([
  ['a damaged line', (text: string) => text.replace('"first"', '"furst"')],
  ['a line that was cut off', (text: string) => text.slice(0, -20)],
  ['conflict markers of git', (text: string) => text.replace('\n', '\n<<<<<<< mine\n')],
  ['another format', () => 'hello, this is prose'],
] as const)('N3 H2 %s is explained', ([, damage]) => {
  const bytes = Buffer.from(damage(Buffer.from(before).toString()))
  expect(openNotebook(bytes, tools).problems.length).toBeGreaterThan(0)
})

test('N2 H2 an export is not opened as a session: the notebook says why, and is read-only like a damaged one', () => {
  const { header, session, facts } = openNotebook(before, tools)
  const bytes = Buffer.from(JSON.stringify(exportJson(header, session, facts)))
  const opened = openNotebook(bytes, tools)
  expect(opened.problems).toEqual([expect.stringContaining('it is an export of a session')])
  expect(opened.session.cells).toEqual([])
  expect(opened.isRewritten).toBe(false)
})
