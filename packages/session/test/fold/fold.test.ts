import { readdirSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { AgentMetadata, SessionRecord } from '@mutsumi/schema'
import { foldSession, SessionFold } from '@mutsumi/session'
import { metadataChanges } from '@mutsumi/session/parts'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { changedMetadata } from '../../src/fold/metadata.js'
import { anyJson, anyText } from '../support/any-record.js'
import { anySession } from '../support/any-session.js'
import { at, call, cell, edit, header, intent, opened, result, step, summed } from '../support/records.js'
import { showSession } from '../support/show-session.js'

const cases = new URL('./cases/', import.meta.url)

test.for(readdirSync(cases))('N1 the file of the case %s folds to its session', (name) => {
  const read = (file: string) => readFileSync(new URL(`${name}/${file}`, cases), 'utf8')
  expect(showSession(opened(summed(read('input.mtm'))))).toBe(read('expected.txt'))
})

function foldOf(records: readonly SessionRecord[]): SessionFold {
  const fold = new SessionFold(header())
  for (const record of records) fold.add(record)
  return fold
}

/** The same session read off the records in the plainest way: lists that are searched from their beginning. */
function plainCells(records: readonly SessionRecord[]) {
  type Plain = { id: string; content: string; role: string; deleted: boolean; said: string[]; cut?: PlainCut }
  const cells: Plain[] = []
  const found = (id: string) => {
    const known = cells.find((cell) => cell.id === id)
    if (known) return known
    const made: Plain = { id, content: '', role: 'user', deleted: false, said: [] }
    cells.push(made)
    return made
  }
  const move = (cell: Plain, after: string | null | undefined) => {
    if (after === undefined || after === cell.id) return
    if (after !== null && !cells.some(({ id }) => id === after)) return
    cells.splice(cells.indexOf(cell), 1)
    cells.splice(after === null ? 0 : cells.findIndex(({ id }) => id === after) + 1, 0, cell)
  }
  const undone = new Map<string, readonly string[]>()
  const isUndone = (cell: string) => [...undone.values()].some((cells) => cells.includes(cell))
  for (const record of records) {
    if (record.type === 'step' || record.type === 'steer' || record.type === 'result')
      found(record.cell).said.push(record.content)
    if (record.type === 'partial') {
      const cell = found(record.cell)
      const before = record.from === 0 ? { text: '', note: record.note ?? '' } : cell.cut
      cell.cut = { note: '', ...before, text: (before?.text ?? '').slice(0, record.from) + record.content }
    }
    if (record.type === 'step' || record.type === 'request' || record.type === 'end') {
      const cell = cells.find(({ id }) => id === record.cell)
      if (cell) cell.cut = undefined
    }
    // An undo ignores cells that do not exist or are already undone.
    if (record.type === 'undo')
      undone.set(
        record.id,
        record.cells.filter((id) => cells.some((cell) => cell.id === id) && !isUndone(id)),
      )
    if (record.type === 'redo') undone.delete(record.undo)
    if (record.type !== 'cell' && record.type !== 'edit') continue
    const cell = found(record.type === 'cell' ? record.id : record.cell)
    cell.content = record.content ?? cell.content
    cell.role = record.role ?? cell.role
    if (record.type === 'edit') cell.deleted = record.deleted === true
    move(cell, record.after)
  }
  return cells
    .filter(({ id, deleted }) => !deleted && !isUndone(id))
    .map(({ id, content, role, said, cut }) => ({ id, content, role, said: [...said, ...cutWords(cut)] }))
}

type PlainCut = { text: string; note: string } | undefined

function cutWords(cut: PlainCut): string[] {
  if (!cut?.text.trim()) return []
  return [cut.note === '' ? cut.text : `${cut.text}\n\n${cut.note}`]
}

describe('the fold', () => {
  it('N1 gives the same session whether it is read once or after every record', () => {
    fc.assert(
      fc.property(anySession, (records) => {
        const often = new SessionFold(header())
        for (const record of records) {
          often.add(record)
          often.session.cells.length
        }
        const once = foldOf(records)
        expect(often.session).toEqual(once.session)
        expect(often.facts).toEqual(once.facts)
        expect(foldSession(header(), records)).toEqual(once.session)
      }),
      { numRuns: runs(500) },
    )
  })

  it('N1 puts every cell where a simple reading of the records puts it', () => {
    fc.assert(
      fc.property(anySession, (records) => {
        const folded = foldOf(records).session.cells.map(({ content, metadata }) => ({
          id: metadata?.id,
          content,
          role: metadata?.role,
          said: metadata?.mutsumi_interaction?.map(({ content }) => content),
        }))
        expect(folded).toEqual(plainCells(records))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('N1 returns the same cell objects if a record does not change them', () => {
    fc.assert(
      fc.property(anySession, (records) => {
        const fold = new SessionFold(header())
        for (const record of records) {
          const before = new Map(fold.session.cells.map((cell) => [cell.metadata?.id, cell]))
          fold.add(record)
          const touched = record.type === 'edit' || 'cell' in record ? record.cell : record.id
          for (const cell of fold.session.cells)
            if (cell.metadata?.id !== touched && before.has(cell.metadata?.id))
              expect(before.get(cell.metadata?.id)).toBe(cell)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  it('N1 a copy goes on separately, and shares the cells that neither of the two changes', () => {
    fc.assert(
      fc.property(anySession, anySession, anySession, (first, own, other) => {
        const fold = foldOf(first)
        const cells = new Map(fold.session.cells.map((cell) => [cell.metadata?.id, cell]))
        const copy = fold.copy()
        for (const record of own) fold.add(record)
        for (const record of other) copy.add(record)
        expect(fold.session).toEqual(foldOf([...first, ...own]).session)
        expect(fold.facts).toEqual(foldOf([...first, ...own]).facts)
        expect(copy.session).toEqual(foldOf([...first, ...other]).session)
        expect(copy.facts).toEqual(foldOf([...first, ...other]).facts)
        const touched = new Set(
          other.map((record) => (record.type === 'edit' || 'cell' in record ? record.cell : record.id)),
        )
        for (const cell of copy.session.cells) {
          const before = cells.get(cell.metadata?.id)
          if (before && !touched.has(cell.metadata?.id ?? '')) expect(cell).toBe(before)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  it('N1 an edit of a cell leaves its interaction the same object', () => {
    const fold = foldOf([cell('c1', 'one'), step('s1', 'c1', 'first')])
    const [before] = fold.session.cells
    fold.add(edit('e1', 'c1', { content: 'changed' }))
    expect(fold.session.cells[0]?.content).toBe('changed')
    expect(fold.session.cells[0]?.metadata?.mutsumi_interaction).toBe(before?.metadata?.mutsumi_interaction)
  })

  it('N1 never changes a cell that it has returned', () => {
    const fold = foldOf([cell('c1', 'one'), step('s1', 'c1', 'first')])
    const [before] = fold.session.cells
    fold.add(step('s2', 'c1', 'second'))
    expect(before?.metadata?.mutsumi_interaction).toHaveLength(1)
    expect(fold.session.cells[0]?.metadata?.mutsumi_interaction).toHaveLength(2)
  })

  it('N1 keeps what an engine writes into the session’s metadata out of the next session', () => {
    const fold = foldOf([cell('c1', 'one')])
    fold.session.metadata = { macroContext: { A: '1' } }
    fold.add(cell('c2', 'two'))
    expect(fold.session.metadata).toEqual({})
  })

  it('N3 a call without a result stays unanswered, and a result of another step does not answer it', () => {
    const records = [cell('c1', 'one'), intent('i1', 'c1', call('x'), 1), intent('i2', 'c1', call('x'), 2)]
    const fold = foldOf([...records, result('t1', 'c1', 'x', { step: 2 })])
    expect(fold.facts.unanswered).toEqual([{ cell: 'c1', step: 1, at, call: call('x') }])
  })

  it('N3 an unanswered call has the arguments of its step, or none if that line is lost', () => {
    const named = { ...intent('i1', 'c1', call('x')), call: { id: 'x', name: 'Read' } }
    const asked = step('s1', 'c1', '', { calls: [call('w', 'Write', {}), call('x')] })
    expect(foldOf([cell('c1', 'one'), asked, named]).facts.unanswered).toMatchObject([{ call: call('x') }])
    expect(foldOf([cell('c1', 'one'), named]).facts.unanswered).toMatchObject([
      { call: { id: 'x', name: 'Read', args: {} } },
    ])
  })

  it('N1 counts a compaction’s cells again when earlier cells are added, deleted and moved', () => {
    const compaction = { id: 'k', cells: 2, upTo: 3, compression: 'normal' } as const
    const fold = foldOf([cell('c1', ''), cell('c2', ''), cell('c3', '')])
    fold.add({ type: 'compaction', id: 'k1', at: '', compaction, last: 'c2', upToLast: 'c3' })
    expect(fold.session.compactions?.[0]).toBe(compaction)
    fold.add(cell('c0', 'new', { after: null }))
    expect(fold.session.compactions).toEqual([{ ...compaction, cells: 3, upTo: 4 }])
    fold.add(edit('e1', 'c2', { deleted: true }))
    expect(fold.session.compactions).toEqual([{ ...compaction, cells: 2, upTo: 3 }])
  })

  it('N1 costs the same for each record, however many cells there are', () => {
    // Rounds whose cells come after others, in the middle of all.
    const make = (rounds: number) =>
      Array.from({ length: rounds }, (_, index) => [
        cell(`c${index}`, 'one', { after: index === 0 ? null : `c${index >> 1}` }),
        step(`s${index}`, `c${index}`, 'two'),
      ]).flat()
    expect(growth(make, 3000, (records) => foldOf(records).session.cells.length)).toBeLessThan(linear)
  })
})

describe('metadata', () => {
  it('N1 ten thousand fields, one per record, fold in linear time', () => {
    const make = (count: number) =>
      Array.from(
        { length: count },
        (_, index): SessionRecord => ({ type: 'metadata', id: `k${index}`, at, set: { [`k${index}`]: 1 } }),
      )
    const fold = (records: readonly SessionRecord[]) =>
      expect(Object.keys(foldOf(records).session.metadata)).toEqual(records.map(({ id }) => id))
    expect(growth(make, 1000, fold)).toBeLessThan(linear)
  })

  const anyMetadata: fc.Arbitrary<AgentMetadata> = fc
    .array(
      fc.tuple(
        fc.oneof(fc.constantFrom('a', 'b', '__proto__'), anyText),
        fc.oneof(fc.array(fc.integer({ min: 0, max: 3 })), anyJson).filter((value) => value !== null),
      ),
      { maxLength: 5 },
    )
    .map((entries) => Object.fromEntries(entries))

  it('N1 the difference between two states, applied to the first, gives the second', () => {
    fc.assert(
      fc.property(anyMetadata, anyMetadata, (from, to) => {
        const changes = metadataChanges(from, to)
        const changed = changes ? changedMetadata(from, changes) : from
        expect(isDeepStrictEqual(changed, to)).toBe(true)
        expect(metadataChanges(to, structuredClone(to))).toBeUndefined()
      }),
      { numRuns: runs(1000) },
    )
  })

  it('N1 one more entry in a long list is one entry in the record', () => {
    const items = Array.from({ length: 1000 }, (_, index) => ({ key: `f${index}` }))
    const from = { contextItems: items } as unknown as AgentMetadata
    const to = { contextItems: [...structuredClone(items), { key: 'new' }] } as unknown as AgentMetadata
    expect(metadataChanges(from, to)).toEqual({
      set: {},
      splice: { contextItems: { at: 1000, remove: 0, insert: [{ key: 'new' }] } },
    })
  })
})
