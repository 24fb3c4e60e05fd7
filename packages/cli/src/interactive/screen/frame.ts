import { emptyRow, type Row } from './paint.js'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** The place of the terminal's own cursor, which input methods and screen readers use. */
export interface Cursor {
  readonly row: number
  readonly column: number
  /** The row up to the cursor. If its width is doubtful, writing it again moves the cursor to its end. */
  readonly before?: Row
}

/** The live region: the rows below the scrollback, and the cursor in them. */
export interface Picture {
  readonly rows: readonly Row[]
  readonly cursor?: Cursor
}

/** The live region as the terminal shows it, and the row of the cursor. */
export interface Shown extends Picture {
  readonly at: number
}

/** The cursor is at the beginning of an empty line. */
export const nothingShown: Shown = { rows: [emptyRow], at: 0, cursor: { row: 0, column: 0 } }

export interface Next {
  /** Lines that go to the scrollback, above the region. One may be longer than the terminal is wide. */
  readonly finished: readonly Row[]
  readonly picture: Picture
  readonly size: Size
}

export interface Frame {
  readonly bytes: string
  readonly shown: Shown
}

/**
 * The bytes that put the finished lines into the scrollback and the picture below them. Rows that did not change are not
 * sent again, and nothing above the region is touched.
 */
export function frame(shown: Shown, { finished, picture, size }: Next): Frame {
  const next = clipped(picture, size)
  const before = { ...shown, rows: shown.rows.length > 0 ? shown.rows : [emptyRow] }
  const drawn = finished.length > 0 ? pushed(before, finished, next, size) : redrawn(before, next, size)
  const cursor = placed(drawn.at, next.cursor, drawn.bytes !== '' || !isSameCursor(shown.cursor, next.cursor))
  const isHidden = drawn.bytes !== '' || shown.cursor === undefined
  const body = `${drawn.bytes}${cursor.bytes}${visibility(isHidden, next.cursor)}`
  return {
    bytes: body === '' ? '' : `${beginSync}${body}${endSync}`,
    shown: { ...next, at: cursor.at },
  }
}

/** Goes to the beginning of the region, as the terminal arranged it at its new size, and erases it. */
export function erased(
  shown: Shown,
  { columns, rows }: Size,
  { reflow }: { readonly reflow: boolean },
): Frame {
  const heights = shown.rows
    .slice(0, shown.at)
    .map(({ width }) => (reflow ? Math.max(1, Math.ceil(width / columns)) : 1))
  const height = heights.reduce((sum, each) => sum + each, 0)
  return { bytes: `${up(Math.min(height, rows - 1))}\r${eraseBelow}`, shown: nothingShown }
}

const beginSync = '\u001b[?2026h'
const endSync = '\u001b[?2026l'
const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'
/** Without wrapping, a row that is wider than we think is cut at the edge instead of taking two rows. */
const wrapOff = '\u001b[?7l'
const wrapOn = '\u001b[?7h'
const eraseRest = '\u001b[K'
const eraseRow = '\u001b[2K'
const eraseBelow = '\u001b[J'

interface Drawn {
  readonly bytes: string
  /** The row of the region that the cursor is left in. */
  readonly at: number
}

/** Writes only the rows that changed. */
function redrawn({ rows: old, at: from }: Shown, { rows }: Picture, size: Size): Drawn {
  let bytes = ''
  let at = from
  for (const [index, row] of rows.entries()) {
    const isNew = index >= old.length
    if (!isNew && old[index]?.text === row.text) continue
    bytes += `${isNew ? `${moved(at, index - 1)}\r\n` : `${moved(at, index)}\r`}${written(row, size)}`
    at = index
  }
  if (rows.length < old.length) {
    bytes += `${moved(at, rows.length)}\r${eraseBelow}`
    at = rows.length
  }
  return { bytes: bytes === '' ? '' : `${hideCursor}${wrapOff}${bytes}${wrapOn}`, at }
}

/** The finished lines overwrite the region, and the region is written again below them. */
function pushed({ rows: old, at }: Shown, finished: readonly Row[], { rows }: Picture, size: Size): Drawn {
  const isRough = finished.some(({ width, isDoubtful }) => width > size.columns || isDoubtful)
  const isShorter = finished.length + rows.length < old.length
  const isErased = isRough || isShorter
  const lines = finished.map((row) => `${isErased ? row.text : written(row, size)}\r\n`).join('')
  const region = rows.map((row) => written(row, size)).join('\r\n')
  const bytes = `${hideCursor}${moved(at, 0)}\r${isErased ? eraseBelow : ''}${lines}${wrapOff}${region}${wrapOn}`
  return { bytes, at: rows.length - 1 }
}

/** Replaces a row with another. At the right edge, erasing the rest would erase the last character. */
function written({ text, width, isDoubtful }: Row, { columns }: Size): string {
  return isDoubtful || width >= columns ? `${eraseRow}${text}` : `${text}${eraseRest}`
}

function placed(from: number, cursor: Cursor | undefined, isMoved: boolean): Drawn {
  if (cursor === undefined || !isMoved) return { bytes: '', at: from }
  const { row, column, before } = cursor
  const place = before?.isDoubtful ? `\r${wrapOff}${before.text}${wrapOn}` : `\r${right(column)}`
  return { bytes: `${moved(from, row)}${place}`, at: row }
}

/** Every drawing hides the cursor while it moves about. */
function visibility(isHidden: boolean, cursor: Cursor | undefined): string {
  if (cursor === undefined) return isHidden ? '' : hideCursor
  return isHidden ? showCursor : ''
}

function isSameCursor(one: Cursor | undefined, other: Cursor | undefined): boolean {
  return one?.row === other?.row && one?.column === other?.column
}

/** We could not find the beginning of a region as high as the screen. So we keep only its end, with the input. */
function clipped({ rows, cursor }: Picture, size: Size): Picture {
  if (rows.length === 0) return { rows: [emptyRow], ...(cursor && { cursor }) }
  const over = Math.max(0, rows.length - Math.max(1, size.rows - 1))
  if (over === 0) return { rows, ...(cursor && { cursor }) }
  const moved = cursor && { ...cursor, row: Math.max(0, cursor.row - over) }
  return { rows: rows.slice(over), ...(moved && { cursor: moved }) }
}

function moved(from: number, to: number): string {
  return from > to ? up(from - to) : from < to ? `\u001b[${to - from}B` : ''
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : ''
}

function right(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : ''
}
