import type { ReportedItem } from '@mutsumi/context'
import type { SessionRecord } from '@mutsumi/schema'
import { encodeRecord } from '@mutsumi/session'
import { expect, test } from 'vitest'
import { archivedCells, askedTexts, cellMarks, type MarkedCell } from '../../src/notebook/cell-marks.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { newRound } from '../../src/notebook/round-output.js'
import { sessionBytes, tools } from '../support/notebook.js'

const answered = { ...newRound('x'), state: 'done', startedAt: '2026-03-01T09:00:00.000Z' } as const
const unsent = { state: 'failed', message: 'no key' } as const
const cell = (id: string, shown?: MarkedCell['shown'], isQuestion = true) => ({ id, shown, isQuestion })
const marksOf = (
  cells: readonly MarkedCell[],
  more: { archived?: ReadonlySet<string>; items?: readonly ReportedItem[] } = {},
) => cells.map((_, index) => cellMarks(cells, index, { archived: new Set(), items: [], ...more }))

test('P7 a cell that was never run says whether it goes with a question below it', () => {
  const cells = [
    cell('a'),
    cell('b', answered),
    cell('note', undefined, false),
    cell('c'),
    cell('empty', undefined, false),
  ]
  expect(marksOf(cells)).toEqual([
    ...[[{ kind: 'not-asked', hasNext: true }], [], []],
    ...[[{ kind: 'not-asked', hasNext: false }], []],
  ])
  // A run that sent nothing asked nothing; the answer of an earlier run stays.
  const failed = [cell('a', { ...newRound('a'), unsent }), cell('b', { ...answered, unsent })]
  expect(marksOf(failed)).toEqual([[{ kind: 'not-asked', hasNext: true }], []])
})

test('P7 a cell whose round ended before any answer says that it goes with the next question', () => {
  const failed = { ...answered, state: 'fault', message: 'no connection' } as const
  const note = { kind: 'note', level: 'warning', text: 'x' } as const
  const call = { kind: 'tool', call: 't', name: 'LS', argument: '', status: 'success' } as const
  const cells = [
    cell('a', failed),
    cell('b', { ...failed, parts: [call] }),
    cell('c', { ...failed, parts: [note] }),
  ]
  expect(marksOf(cells)).toEqual([
    ...[[{ kind: 'not-answered', hasNext: true }], []],
    ...[[{ kind: 'not-answered', hasNext: false }]],
  ])
  expect(marksOf([cell('a', { ...failed, state: 'running' })])).toEqual([[]])
})

test('P7 an answered cell whose text was edited afterwards says so, and not one that was edited back', () => {
  const at = '2026-03-01T10:00:00.000Z'
  const request = { type: 'request', id: 'q', at, cell: 'c0', number: 1, keep: 0, add: [], fingerprint: '' }
  const edit = (content: string) => ({ type: 'edit', id: content, at, cell: 'c0', content })
  const { records } = openNotebook(sessionBytes(['one']), tools)
  const asked = (...more: readonly object[]) => askedTexts([...records, ...(more as SessionRecord[])])
  expect(asked().size).toBe(0)
  expect(asked(edit('two'), request, edit('three')).get('c0')).toBe('two')
  const named = { ...edit('the whole command'), metadata: { typed: '/name' } }
  expect(asked(named, request).get('c0')).toBe('/name')
  expect(marksOf([{ ...cell('a', answered), isEdited: true }, cell('b', answered)])).toEqual([
    [{ kind: 'edited' }],
    [],
  ])
})

test('P7 an archived round says so until the compaction is undone', () => {
  const at = '2026-03-01T10:00:00.000Z'
  const line = (id: string, compaction: object) =>
    `${encodeRecord({ type: 'compaction', id, at, compaction } as SessionRecord)}\n`
  const rounds = sessionBytes(['one', '1'], ['two', '2'], ['three', '3'])
  const of = (...lines: readonly string[]) =>
    archivedCells(openNotebook(Buffer.concat([rounds, Buffer.from(lines.join(''))]), tools).session)
  const compacted = line('r1', { id: 'k', cells: 2, upTo: 2, compression: 'normal', summary: 'Two rounds.' })
  expect([...of()]).toEqual([])
  expect([...of(compacted)]).toEqual(['c0', 'c1'])
  expect([...of(compacted, line('r2', { undo: 'k' }))]).toEqual([])
  const cells = ['c0', 'c1', 'c2'].map((id) => cell(id, answered))
  expect(marksOf(cells, { archived: of(compacted) })).toEqual([
    ...[[{ kind: 'archived' }], [{ kind: 'archived' }], []],
  ])
})

test('P7 files that a person left out, or that have no room, are named at the cell that mentioned them', () => {
  const item = (key: string, more: object) => ({ key, cell: 0, ...more }) as unknown as ReportedItem
  const items = [item('a.ts', { dropped: true }), item('b.ts', { stub: true }), item('c.ts', {})]
  expect(marksOf([cell('a', answered), cell('b', answered)], { items })).toEqual([
    [
      { kind: 'left-out', names: ['a.ts'] },
      { kind: 'over-budget', names: ['b.ts'] },
    ],
    [],
  ])
})
