import { expect, test } from 'vitest'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { newRound } from '../../src/notebook/round-output.js'
import { isOutdated, recordedRounds, withAdded, withUnsent } from '../../src/notebook/shown-rounds.js'
import { saved, sessionBytes, tools } from '../support/notebook.js'

const opened = openNotebook(sessionBytes(['one', 'first'], ['two']), tools)
const [one, two] = opened.session.cells
const roundOf = (cell = one) => cell && recordedRounds(opened)(cell)?.round

test('P7 a round is shown if and only if the record has it, in the cell that it answers', () => {
  const round = roundOf()
  expect(round).toMatchObject({ cell: 'c0', state: 'done', parts: [{ kind: 'text', text: 'first' }] })
  expect(roundOf(two)).toBeUndefined()
  expect(isOutdated(round, round)).toBe(false)
  // Cleared; never answered, and never run; of another cell, as in a copy.
  expect(isOutdated(undefined, round)).toBe(true)
  expect(isOutdated(round, undefined)).toBe(true)
  expect(isOutdated(undefined, undefined)).toBe(false)
  expect(isOutdated({ ...newRound('c1'), state: 'done' }, round)).toBe(true)
})

test('P7 a run that sent nothing leaves the recorded round, and is shown beside it', () => {
  const unsent = { state: 'failed', message: 'no key' } as const
  const again = withUnsent('c0', roundOf(), unsent)
  expect(again).toMatchObject({ parts: [{ text: 'first' }], state: 'done', unsent })
  expect(isOutdated(roundOf(), again)).toBe(true)
  const never = withUnsent('c1', undefined, unsent)
  expect(never).toMatchObject({ cell: 'c1', parts: [], state: 'failed', message: 'no key' })
  expect(isOutdated(never, never)).toBe(false)
  expect(withUnsent('c1', undefined, undefined)).toBeUndefined()
})

test('P7 unsaved edits count: a deletion that is undone before the next save shows its answer', () => {
  const deleted = saved(sessionBytes(['one', 'first'], ['two']), opened.session.cells.slice(1))
  const back = { type: 'edit', id: 'e', at: '2026-03-01T10:00:00.000Z', cell: 'c0' } as const
  const before = withAdded(deleted, [])
  expect(before.session.cells.map(({ content }) => content)).toEqual(['two'])
  const after = withAdded(deleted, [back])
  expect(after.session.cells.map((cell) => recordedRounds(after)(cell)?.round.cell)).toEqual([
    'c0',
    undefined,
  ])
})

test('A3 a round whose program was killed shows what the model had said, and that it was interrupted', () => {
  const about = { at: '2026-03-01T10:00:00.000Z', cell: 'c1' } as const
  const killed = withAdded(opened, [
    { type: 'request', id: 'q', ...about, number: 1, keep: 0, add: [], fingerprint: 'f' },
    { type: 'partial', id: 'p', ...about, step: 1, from: 0, content: 'It be', note: '[cut]' },
    { type: 'partial', id: 'r', ...about, step: 1, from: 5, content: 'gins' },
  ])
  const [, cell] = killed.session.cells
  const round = cell && recordedRounds(killed)(cell)?.round
  expect(round).toMatchObject({ state: 'interrupted', parts: [{ kind: 'text', text: 'It begins\n\n[cut]' }] })
  expect(round).not.toHaveProperty('message')
})

test('P7 an interrupted round shows when it ended, and its note keeps both brackets', () => {
  const about = { cell: 'c1', at: '2026-03-01T10:00:00.000Z' } as const
  const partial = { type: 'partial', step: 1, metadata: { not_run: 'cut' } } as const
  const killed = withAdded(opened, [
    { type: 'request', id: 'q', ...about, number: 1, keep: 0, add: [], fingerprint: 'f' },
    {
      ...{ ...about, ...partial, id: 'p', from: 0, at: '2026-03-01T10:00:07.000Z' },
      ...{ content: 'Thought: a\nAction: Finish[It begins', note: '[cut off]' },
    },
  ])
  const [, cell] = killed.session.cells
  const round = cell && recordedRounds(killed)(cell)?.round
  expect(round).toMatchObject({ startedAt: about.at, endedAt: '2026-03-01T10:00:07.000Z' })
  expect(round?.parts.at(-1)).toEqual({ kind: 'text', text: 'It begins\n\n[cut off]' })
})
