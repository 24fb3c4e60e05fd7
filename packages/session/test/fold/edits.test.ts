import type { SessionCell, SessionRecord } from '@mutsumi/schema'
import { SessionFold } from '@mutsumi/session'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { diffCells } from '../../src/fold/diff-cells.js'
import { outsideEdits } from '../../src/fold/outside-edits.js'
import { anySession } from '../support/any-session.js'
import { at, cell, countedIds, header, sha256, step } from '../support/records.js'

function foldOf(records: readonly SessionRecord[]): SessionFold {
  const fold = new SessionFold(header())
  for (const record of records) fold.add(record)
  return fold
}

const said = (cells: readonly SessionCell[]) =>
  cells.map(({ content, metadata }) => [metadata?.role ?? 'user', content])

const start = [
  cell('c1', 'one'),
  step('s1', 'c1', 'answer'),
  cell('c2', 'two'),
  cell('c3', 'three'),
  cell('c4', 'four'),
]

function changesTo(change: (cells: SessionCell[]) => readonly SessionCell[]): readonly SessionRecord[] {
  const { cells } = foldOf(start).session
  return diffCells(cells, change([...cells]), {
    newId: countedIds(),
    at,
    isFree: (id) => id.startsWith('vs'),
  })
}

describe('edits from outside', () => {
  it('N1 nothing is recorded if nothing changed, with ids or without', () => {
    expect(changesTo((cells) => cells)).toEqual([])
    expect(changesTo((cells) => cells.map(({ content }) => ({ content })))).toEqual([])
  })

  it('N1 an edited text, a deleted cell, a moved cell and a new cell are one record each', () => {
    expect(changesTo((cells) => cells.with(1, { ...(cells[1] as SessionCell), content: 'TWO' }))).toEqual([
      { type: 'edit', id: 'n1', at, cell: 'c2', content: 'TWO' },
    ])
    expect(changesTo((cells) => cells.toSpliced(2, 1))).toEqual([
      { type: 'edit', id: 'n1', at, cell: 'c3', deleted: true },
    ])
    expect(changesTo(([one, ...others]) => [...others, one as SessionCell])).toEqual([
      { type: 'edit', id: 'n1', at, cell: 'c1', after: 'c4' },
    ])
    expect(changesTo((cells) => [{ content: 'zero' }, ...cells])).toEqual([
      cell('n1', 'zero', { after: null }),
    ])
    expect(changesTo((cells) => [...cells, { content: 'five' }])).toEqual([cell('n1', 'five')])
  })

  it('N1 a cell without an id is recognized by its text, and a copy with the same id is a new cell', () => {
    expect(
      changesTo(([one, ...others]) => [...others, { content: (one as SessionCell).content }]),
    ).toMatchObject([{ type: 'edit', cell: 'c1', after: 'c4' }])
    expect(changesTo((cells) => [...cells, cells[0] as SessionCell])).toMatchObject([
      { type: 'cell', id: 'n1', content: 'one' },
      { type: 'step', cell: 'n1', content: 'answer' },
    ])
  })

  it('N1 a new cell keeps the id that its program gave it, if that is free', () => {
    const cells = ['vs1', 'vs1', 's1'].map((id) => ({ content: 'new', metadata: { id, role: 'user' } }))
    expect(changesTo((before) => [...before, ...cells]).map(({ id }) => id)).toEqual(['vs1', 'n1', 'n2'])
  })

  it('N1 a message that steered the round of a new cell stays in that round', () => {
    const metadata = { step: 1, at, steered: true }
    const brought: SessionCell = {
      content: 'new',
      metadata: {
        mutsumi_interaction: [
          { role: 'assistant', content: 'I look' },
          { role: 'user', content: 'not there', metadata },
        ],
      },
    }
    expect(changesTo((cells) => [...cells, brought])).toMatchObject([
      { type: 'cell', id: 'n1' },
      { type: 'step', cell: 'n1' },
      { type: 'steer', cell: 'n1', step: 1, content: 'not there' },
    ])
    const records = changesTo((cells) => [...cells, brought])
    const folded = foldOf(records).session.cells[0]?.metadata?.mutsumi_interaction?.[1]
    expect(folded).toEqual({ role: 'user', content: 'not there', metadata })
  })

  it('N1 the interaction of a new cell is recorded as steps, results and cells in order', () => {
    const brought: SessionCell = {
      content: 'new',
      metadata: {
        color: 'red',
        mutsumi_interaction: [
          {
            role: 'assistant',
            content: 'I look',
            metadata: { calls: [{ id: 'x', name: 'LS', args: {} }], mood: 'good' },
          },
          { role: 'tool', content: '{}', metadata: { tool_name: 'LS', call_id: 'x' } },
          { role: 'system', content: 'a note' },
          { role: 'assistant', content: 'done', metadata: { final: true } },
        ],
      },
    }
    const { cells } = foldOf(start).session
    const records = diffCells(cells, [brought, { content: 'next' }, ...cells], { newId: countedIds(), at })
    const fold = foldOf([...start, ...records])
    expect(fold.session.cells.map(({ content }) => content)).toEqual([
      'new',
      'a note',
      'next',
      'one',
      'two',
      'three',
      'four',
    ])
    expect(fold.session.cells.slice(0, 2)).toMatchObject([
      {
        metadata: {
          color: 'red',
          mutsumi_interaction: [
            {
              role: 'assistant',
              content: 'I look',
              metadata: { step: 1, mood: 'good', calls: [{ id: 'x' }] },
            },
            { role: 'tool', metadata: { call_id: 'x', tool_name: 'LS' } },
          ],
        },
      },
      { metadata: { role: 'system', mutsumi_interaction: [{ content: 'done', metadata: { final: true } }] } },
    ])
  })

  it('N1 the records, added to the session, give the other program’s cells, whatever it did', () => {
    fc.assert(
      fc.property(anySession, fc.array(anyChange, { maxLength: 6 }), (records, changes) => {
        const fold = foldOf(records)
        const others = changes.reduce((cells, change) => change(cells), fold.session.cells)
        const made = diffCells(fold.session.cells, others, {
          newId: countedIds('new'),
          at,
          isFree: () => false,
        })
        for (const record of made) fold.add(record)
        expect(said(fold.session.cells)).toEqual(said(others))
        expect(diffCells(fold.session.cells, others, { newId: countedIds('more'), at })).toEqual([])
        expect(made.length).toBeLessThanOrEqual(changes.length * 2)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('lines that are missing from a file', () => {
  const held = Array.from({ length: 80_000 }, (_, index) => [
    cell(`c${index}`, `question ${index}`),
    step(`s${index}`, `c${index}`, `answer ${index}`),
  ]).flat()
  const options = { hash: sha256, isDamaged: false, isTorn: false }
  const found = (...records: readonly (SessionRecord | undefined)[]) =>
    records.flatMap((record) => (record ? [{ record, line: record }] : []))

  it('N1 all but the last are restored in linear time', () => {
    const putBack = (some: readonly SessionRecord[]) => outsideEdits(some, found(some.at(-1)), options)
    const some = held.slice(0, 40_000)
    const edits = putBack(some)
    expect([edits?.deleted.size, edits?.restored]).toEqual([20_000, found(...some)])
    expect(growth((count) => held.slice(0, count), 4000, putBack)).toBeLessThan(linear)
  }, 600_000)

  it('N1 80 000 deleted lines are restored between two remaining ones', () => {
    const edits = outsideEdits(held, found(held[0], held.at(-1)), options)
    expect([edits?.deleted.size, edits?.counts]).toEqual([79_999, [0, 159_999, 160_000]])
  })
})

type Change = (cells: readonly SessionCell[]) => readonly SessionCell[]

const place = fc.double({ min: 0, max: 0.999, noNaN: true })
const words = fc.constantFrom('', 'one', 'two', 'new')

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, words).map(
    ([place, content]): Change =>
      (cells) =>
        cells.toSpliced(Math.floor(place * (cells.length + 1)), 0, { content }),
  ),
  fc.tuple(place, words).map(
    ([place, content]): Change =>
      (cells) =>
        cells.map((cell, index) =>
          index === Math.floor(place * cells.length) ? { ...cell, content } : cell,
        ),
  ),
  place.map(
    (place): Change =>
      (cells) =>
        cells.toSpliced(Math.floor(place * cells.length), 1),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Change =>
      (cells) => {
        const moved = cells[Math.floor(from * cells.length)]
        const others = cells.filter((cell) => cell !== moved)
        return moved ? others.toSpliced(Math.floor(to * (others.length + 1)), 0, moved) : cells
      },
  ),
)
