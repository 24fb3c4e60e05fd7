import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { drawRows, row } from '../../src/drawing/draw-report.js'
import { drawTable } from '../../src/terminal/columns.js'
import { displayWidth } from '../../src/terminal/display-width.js'
import { fitLines } from '../../src/terminal/fit-lines.js'

const isNarrow = (text: string, columns: number) =>
  expect(text.split('\n').filter((line) => displayWidth(line) > columns)).toEqual([])

test('H1 every table fits 40 columns, and loses no word', () => {
  const columns = [{ title: 'title' }, { title: 'rounds', align: 'right' as const }, { title: 'file' }]
  const rows = [
    ['The login, mended at last', '12', 'a-long-name-of-a-file-that-is-wider.mtm'],
    ['它在哪里定义', '1', 'x.mtm'],
  ]
  const narrow = drawTable(columns, rows, 40)
  isNarrow(narrow, 40)
  expect(narrow).toBe(
    [
      '  The login, mended at last',
      '    rounds 12 · a-long-name-of-a-file-th',
      '    at-is-wider.mtm',
      '  它在哪里定义',
      '    rounds 1 · x.mtm',
    ].join('\n'),
  )
  expect(drawTable(columns, rows, 100).split('\n')).toHaveLength(3)
})

test('H1 the bars of a request fit 40 columns, with their notes below', () => {
  const rows = [
    row('L1  system prompt', '', 258),
    row('tools', '12 tools', 1570),
    row('file a/b/c/d/e/f/g.ts', 'cell 0', 9),
  ]
  const narrow = drawRows('layer', rows, 40)
  isNarrow(narrow, 40)
  expect(narrow.split('\n').slice(1, 4)).toEqual([
    '  L1  system prompt        258  █▍',
    '  tools                  1 570  ████████',
    '      12 tools',
  ])
})

test('H1 lines are broken between words, below their last column, and nothing is lost', () => {
  expect(
    fitLines('sandbox    bubblewrap: commands write only in the workspace and in their own folder', 40),
  ).toBe(
    'sandbox    bubblewrap: commands write\n           only in the workspace and in\n           their own folder',
  )
  const word = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constantFrom('a', '智能体', '  '))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.integer({ min: 20, max: 60 }), (words, columns) => {
      const text = words.join(' ').replace(/[\p{C}\p{Z}\s]+/gu, ' ')
      const fitted = fitLines(text, columns)
      isNarrow(fitted, columns)
      expect(fitted.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }),
    { numRuns: runs(200) },
  )
})
