import type { SessionRecord } from '@mutsumi/schema'
import fc from 'fast-check'
import { cell, edit, intent, result, steer, step } from './records.js'

const cells = fc.constantFrom('c0', 'c1', 'c2', 'c3', 'c4')
const after = fc.oneof(fc.constant(undefined), fc.constant(null), cells, fc.constant('nobody'))
const words = fc.constantFrom('', 'one', 'two', 'three')

type Happening = (id: string) => SessionRecord

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.tuple(cells, words, after).map(
    ([cell, content, after]): Happening =>
      (id) =>
        edit(id, cell, { content, ...(after !== undefined && { after }) }),
  ),
  fc.tuple(cells, after).map(
    ([cell, after]): Happening =>
      (id) =>
        edit(id, cell, after === undefined ? { deleted: true } : { after }),
  ),
  fc.tuple(cells, words).map(
    ([cell, content]): Happening =>
      (id) =>
        step(id, cell, content),
  ),
  fc.tuple(cells, words).map(
    ([cell, content]): Happening =>
      (id) =>
        steer(id, cell, content),
  ),
  fc.tuple(cells, words, fc.constantFrom(0, 3)).map(
    ([cell, content, from]): Happening =>
      (id) => ({
        ...{ type: 'partial', id, at: 'now', cell, step: 1, from, content },
        ...(from === 0 && { note: 'cut', metadata: { not_run: 'cut' } }),
      }),
  ),
  cells.map(
    (cell): Happening =>
      (id) => ({ type: 'request', id, at: 'now', cell, number: 1, keep: 0, add: [], fingerprint: 'f' }),
  ),
  cells.map(
    (cell): Happening =>
      (id) => ({ type: 'end', id, at: 'now', cell, status: 'cancelled', message: '' }),
  ),
  cells.map(
    (cell): Happening =>
      (id) =>
        result(id, cell, 'x'),
  ),
  cells.map(
    (cell): Happening =>
      (id) =>
        intent(id, cell, { id: 'x', name: 'Bash', args: {} }),
  ),
  fc.array(cells, { minLength: 1, maxLength: 3 }).map(
    (undone): Happening =>
      (id) => ({ type: 'undo', id, at: 'now', cells: undone, files: [] }),
  ),
  fc.constantFrom('h0', 'h1', 'h2', 'h3', 'h4', 'h5').map(
    (undo): Happening =>
      (id) => ({ type: 'redo', id, at: 'now', undo, files: [] }),
  ),
  cells.map(
    (cell): Happening =>
      (id) => ({ type: 'change', id, at: 'now', cell, tool: 'Write', files: [] }),
  ),
  words.map(
    (title): Happening =>
      (id) => ({ type: 'metadata', id, at: 'now', set: { title } }),
  ),
  fc.tuple(cells, cells).map(
    ([last, upToLast]): Happening =>
      (id) => ({
        type: 'compaction',
        id,
        at: 'now',
        compaction: { id, cells: 1, upTo: 2, compression: 'normal' },
        last,
        upToLast,
      }),
  ),
)

/** Records of a session with a few cells, in which anything may happen to any of them, lost ones included. */
export const anySession: fc.Arbitrary<readonly SessionRecord[]> = fc
  .tuple(fc.array(fc.tuple(words, after), { maxLength: 4 }), fc.array(happening, { maxLength: 15 }))
  .map(([contents, happenings]) => [
    ...contents.map(([content, after], index) =>
      cell(`c${index}`, content, after === undefined ? {} : { after }),
    ),
    ...happenings.map((happening, index) => happening(`h${index}`)),
  ])
