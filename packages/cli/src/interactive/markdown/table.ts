import type { Tokens } from 'marked'
import { type Line, restyle, type Span, span } from '../text/span.js'
import { lineWidth } from '../text/truncate.js'
import { wrap } from '../text/wrap.js'
import { inlineLines } from './inline.js'

/** Narrower columns would break every word. */
const narrowest = 6
const gap = ' │ '

/** A table with its columns side by side, or row by row if there is no room for that. */
export function tableLines({ header, rows, align }: Tokens.Table, width: number): Line[] {
  const head = header.map(cellLine)
  const body = rows.map((row) => row.map(cellLine))
  const widths = columnWidths([head, ...body], width)
  if (!widths) return recordLines(head, body, width)
  const line = (cells: readonly Line[]) => rowLines(cells, widths, align)
  const rule = widths.map((each) => '─'.repeat(each)).join('─┼─')
  return [
    ...line(head.map((cell) => restyle(cell, { bold: true }))),
    [span(rule, { dim: true })],
    ...body.flatMap(line),
  ]
}

function cellLine({ tokens }: Tokens.TableCell): Line {
  return inlineLines(tokens).flatMap((line, index) => (index === 0 ? line : [span(' '), ...line]))
}

/** Each column gets the width it needs. If there is no room, the widest shrink. Undefined if they still do not fit. */
function columnWidths(rows: readonly (readonly Line[])[], width: number): number[] | undefined {
  const count = rows[0]?.length ?? 0
  const wanted = Array.from({ length: count }, (_, column) =>
    rows.reduce((most, row) => Math.max(most, lineWidth(row[column] ?? [])), 1),
  )
  const room = width - gap.length * (count - 1)
  if (sum(wanted) <= room) return wanted
  if (room < count * narrowest) return undefined
  // The highest limit under which all of them fit.
  let limit = Math.max(...wanted)
  while (sum(limited(wanted, limit)) > room) limit--
  return limit < narrowest ? undefined : limited(wanted, limit)
}

function limited(widths: readonly number[], limit: number): number[] {
  return widths.map((each) => Math.min(each, limit))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

function rowLines(cells: readonly Line[], widths: readonly number[], align: Tokens.Table['align']): Line[] {
  const wrapped = widths.map((width, column) => wrap(cells[column] ?? [], width))
  const height = Math.max(1, ...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, row) =>
    widths.flatMap((width, column): Span[] => {
      const isLast = column === widths.length - 1
      const cell = padded(wrapped[column]?.[row] ?? [], { width, align: align[column] ?? 'left', isLast })
      return isLast ? cell : [...cell, span(gap, { dim: true })]
    }),
  )
}

function padded(
  line: Line,
  { width, align, isLast }: { readonly width: number; readonly align: string; readonly isLast: boolean },
): Span[] {
  const free = Math.max(0, width - lineWidth(line))
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0
  const after = isLast ? 0 : free - before
  return [span(' '.repeat(before)), ...line, span(' '.repeat(after))]
}

/** All names first, then a line `Name: value` per cell. */
function recordLines(head: readonly Line[], rows: readonly (readonly Line[])[], width: number): Line[] {
  const names = head.map((cell) => restyle(cell, { bold: true }))
  const title = names.flatMap((name, index) => (index === 0 ? name : [span(gap, { dim: true }), ...name]))
  const rule: Line = [span('─'.repeat(Math.min(width, 20)), { dim: true })]
  const records = rows.flatMap((row) => [
    rule,
    ...row.flatMap((cell, column) => wrap([...(names[column] ?? []), span(': '), ...cell], width)),
  ])
  return [...wrap(title, width), ...records]
}
