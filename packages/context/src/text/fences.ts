/** Where fenced code lies: offsets of the opening fence's line and behind the closing one's. */
interface Fence {
  readonly start: number
  readonly end: number
}

/** A text in a fence that nothing in it closes: what is in it is data, its references and pictures are not the user's. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`
}

/** Tells whether offsets lie in fenced code. Ask in ascending order: it walks along. */
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
    // Code does not go on without its indent, as a paragraph does.
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
 * The fence that a line opens. It may stand behind list markers, and is indented by less than four columns as
 * seen from the text of its list item; by more, it is code that shows a fence.
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

/** Whatever is not blank belongs to a list item only as far as it is indented like the item's text. */
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

  /** What comes next goes on with no paragraph. */
  endBlock(): void {
    this.#behindBlock = true
  }

  /** Leaves the items that a line does not belong to. A paragraph may go on without their indent, a block may not. */
  reach(column: number, { startsBlock }: { startsBlock: boolean }): void {
    if (startsBlock || this.#behindBlock) while (this.margin > column) this.#margins.pop()
    this.#behindBlock = false
  }

  enter(margin: number): void {
    this.#margins.push(margin)
  }
}

/** Where an item's text begins: behind the blanks, unless they are so many that they belong to the text. */
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
