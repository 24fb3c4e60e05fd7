/** The range of fenced code: the offset of the opening fence's line, and the offset after the closing fence's line. */
interface Fence {
  readonly start: number
  readonly end: number
}

/** A text in a fence that nothing inside it closes. The text is data: its references and pictures are not the user's. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`
}

/** Says whether an offset is in fenced code. Ask with ascending offsets. */
export function fenceWalker(text: string): (offset: number) => boolean {
  const fences = findFences(text)
  let next = 0
  return (offset) => {
    while (next < fences.length && (fences[next]?.end ?? 0) <= offset) next++
    const fence = fences[next]
    return fence !== undefined && offset >= fence.start
  }
}

/**
 * Fenced code blocks as CommonMark knows them, also inside list items. An unclosed one runs to the end of its list
 * item, or of the text.
 */
function findFences(text: string): Fence[] {
  const fences: Fence[] = []
  const items = new ListItems()
  let open: OpenFence | undefined
  for (let start = 0; start < text.length; ) {
    const lineEnd = text.indexOf('\n', start)
    const end = lineEnd === -1 ? text.length : lineEnd
    const line = text.slice(start, end)
    if (open && leavesItem(line, open)) {
      fences.push({ start: open.start, end: start })
      open = undefined
    }
    if (!open) open = openingFence(line, start, items)
    else if (closes(line, open)) {
      fences.push({ start: open.start, end })
      open = undefined
    }
    // Unlike a paragraph, code does not continue without its indent.
    if (open) items.endBlock()
    start = end + 1
  }
  if (open) fences.push({ start: open.start, end: text.length })
  return fences
}

interface OpenFence {
  readonly start: number
  readonly marker: string
  /** The column at which the text of the surrounding list item begins. */
  readonly margin: number
}

const blanks = /[ \t]*/y
const listMarker = /(?:[-+*]|\d{1,9}[.)])(?=[ \t]|\r?$)/y
const fenceMarker = /(`{3,}|~{3,})(.*)/y

/**
 * The fence that a line opens. It may come after list markers, and is indented by less than four columns relative to
 * the text of its list item. With more indent, it is code that shows a fence.
 */
function openingFence(line: string, start: number, items: ListItems): OpenFence | undefined {
  if (line.trim() === '') return items.leaveBlank()
  for (let at = 0, column = 0; ; ) {
    const blank = match(blanks, line, at)?.[0] ?? ''
    at += blank.length
    column = columnBehind(blank, column)
    const fence = match(fenceMarker, line, at)
    const marker = fence ? undefined : match(listMarker, line, at)?.[0]
    items.reach(column, { startsBlock: fence !== undefined || marker !== undefined })
    if (column - items.margin > 3) return undefined
    if (fence) return isFence(fence) ? { start, marker: fence[1] ?? '', margin: items.margin } : undefined
    if (marker === undefined) return undefined
    at += marker.length
    column += marker.length
    items.enter(marginBehind(match(blanks, line, at)?.[0] ?? '', column))
  }
}

/** A line such as ```code``` is inline code, not a fence. */
function isFence([, marker, rest]: RegExpExecArray): boolean {
  return !(marker?.startsWith('`') && rest?.includes('`'))
}

/** A non-blank line belongs to a list item only if it is indented like the item's text. */
function leavesItem(line: string, { margin }: OpenFence): boolean {
  if (margin === 0) return false
  const blank = match(blanks, line, 0)?.[0] ?? ''
  return columnBehind(blank, 0) < margin && line.trim() !== ''
}

function closes(line: string, open: OpenFence): boolean {
  const blank = match(blanks, line, 0)?.[0] ?? ''
  if (columnBehind(blank, 0) > open.margin + 3) return false
  const [, marker = '', rest = ''] = match(fenceMarker, line, blank.length) ?? []
  return marker[0] === open.marker[0] && marker.length >= open.marker.length && rest.trim() === ''
}

/** The list items around a line, by the columns at which their texts begin. */
class ListItems {
  readonly #margins: number[] = []
  #behindBlock = false

  get margin(): number {
    return this.#margins.at(-1) ?? 0
  }

  leaveBlank(): undefined {
    this.endBlock()
  }

  /** The next line does not continue a paragraph. */
  endBlock(): void {
    this.#behindBlock = true
  }

  /** Leaves the items that a line does not belong to. A paragraph may continue without their indent, a block may not. */
  reach(column: number, { startsBlock }: { startsBlock: boolean }): void {
    if (startsBlock || this.#behindBlock) while (this.margin > column) this.#margins.pop()
    this.#behindBlock = false
  }

  enter(margin: number): void {
    this.#margins.push(margin)
  }
}

/** The column of an item's text: after the spaces, unless there are so many that they belong to the text. */
function marginBehind(blank: string, column: number): number {
  const margin = columnBehind(blank, column)
  return margin === column || margin - column > 4 ? column + 1 : margin
}

/** A tab reaches to the next multiple of four. */
function columnBehind(blank: string, column: number): number {
  let reached = column
  for (const character of blank) reached += character === '\t' ? 4 - (reached % 4) : 1
  return reached
}

function match(expression: RegExp, line: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at
  return expression.exec(line) ?? undefined
}
