/** A part of a Markdown text that can be shown by itself. */
export type Block =
  /** Paragraphs, headings, tables, quotes, one item of a list. */
  | { readonly kind: 'text'; readonly text: string }
  /** The line that opens a code block, and its language. */
  | { readonly kind: 'fence'; readonly text: string; readonly language: string }
  /** One line of a code block. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'fence-end'; readonly text: string }
  | { readonly kind: 'blank' }

/** The block that is not over yet. */
export type OpenBlock =
  /** `isApart`: a blank line comes before the next block. */
  | { readonly kind: 'none'; readonly isApart: boolean }
  | { readonly kind: 'text'; readonly lines: readonly string[] }
  | { readonly kind: 'code' }

/** A longer block is shown in parts, so that the reader does not wait for its end. */
const longestBlock = 16_384

interface Fence {
  readonly mark: string
  readonly indent: number
}

/**
 * Takes a text line by line and returns the blocks that are over. It looks at each line once and decides without the
 * lines that follow. So the time is linear, and the result is the same however the text was cut into pieces.
 */
export class BlockSplitter {
  #lines: string[] = []
  #length = 0
  #isList = false
  /** A fence inside an item of a list. */
  #inner: Fence | undefined
  #fence: Fence | undefined
  #hasBlank = false
  #isEmpty = true

  get open(): OpenBlock {
    if (this.#fence) return { kind: 'code' }
    return this.#lines.length > 0
      ? { kind: 'text', lines: this.#lines }
      : { kind: 'none', isApart: this.#hasBlank }
  }

  take(line: string): Block[] {
    if (this.#fence) return [this.#codeLine(line, this.#fence)]
    if (this.#isList) return this.#listLine(line)
    return line.trim() === '' ? this.#blankLine() : this.#textLine(line)
  }

  end(): Block[] {
    this.#hasBlank = false
    return this.#flush()
  }

  #codeLine(line: string, fence: Fence): Block {
    if (closes(line, fence)) {
      this.#fence = undefined
      return { kind: 'fence-end', text: line.trim() }
    }
    return { kind: 'code', text: withoutIndent(line, fence.indent) }
  }

  #blankLine(): Block[] {
    const blocks = this.#flush()
    this.#hasBlank = !this.#isEmpty
    return blocks
  }

  #textLine(line: string): Block[] {
    const fence = fenceOf(line)
    if (fence) {
      const before = this.#begin()
      this.#fence = fence
      return [...before, { kind: 'fence', text: line.trim(), language: languageOf(line, fence) }]
    }
    if (heading.test(line)) return [...this.#begin(), { kind: 'text', text: line }]
    if (listItem.test(line) && indentOf(line) < 4) return this.#beginItem(line)
    const isOther = this.#lines.length > 0 && quote.test(line) !== quote.test(this.#lines[0] ?? '')
    const before = this.#lines.length === 0 || isOther || this.#length > longestBlock ? this.#begin() : []
    this.#add(line)
    return before
  }

  #listLine(line: string): Block[] {
    if (this.#inner) {
      if (closes(line, this.#inner)) this.#inner = undefined
      return this.#goOn(line)
    }
    if (line.trim() === '') {
      this.#hasBlank = true
      return []
    }
    const indent = indentOf(line)
    if (indent < 2 && listItem.test(line)) return this.#beginItem(line)
    const isOver = indent < 2 && (this.#hasBlank || fenceOf(line) || heading.test(line) || quote.test(line))
    if (isOver) return [...this.#flush(), ...this.#textLine(line)]
    this.#inner = fenceOf(line.trimStart())
    return this.#goOn(line)
  }

  #beginItem(line: string): Block[] {
    const before = this.#begin()
    this.#isList = true
    this.#inner = fenceOf(line.replace(listItem, ''))
    this.#add(line)
    return before
  }

  /** One more line of an item; an item without end is shown in parts. */
  #goOn(line: string): Block[] {
    const inner = this.#inner
    const before = this.#length > longestBlock ? this.#flush() : []
    this.#isList = true
    this.#inner = inner
    if (this.#hasBlank && this.#lines.length > 0) this.#add('')
    this.#hasBlank = false
    this.#add(line)
    return before
  }

  #add(line: string): void {
    this.#lines.push(line)
    this.#length += line.length + 1
  }

  /** Ends the open block, because another one begins. */
  #begin(): Block[] {
    const hadBlank = this.#hasBlank
    this.#hasBlank = false
    const before = this.#flush()
    this.#isEmpty = false
    return hadBlank ? [...before, { kind: 'blank' }] : before
  }

  #flush(): Block[] {
    const lines = this.#lines
    this.#lines = []
    this.#length = 0
    this.#isList = false
    this.#inner = undefined
    return lines.length === 0 ? [] : [{ kind: 'text', text: lines.join('\n') }]
  }
}

const heading = /^ {0,3}#{1,6}(?:\s|$)/
const quote = /^ {0,3}>/
const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s+|$)/

/** Three or more backticks or tildes. After backticks, the line may contain no other backtick. */
function fenceOf(line: string): Fence | undefined {
  const [, indent = '', mark, info = ''] = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line) ?? []
  if (mark === undefined || (mark.startsWith('`') && info.includes('`'))) return undefined
  return { mark, indent: indent.length }
}

function closes(line: string, { mark }: Fence): boolean {
  const found = line.trim()
  return found.length >= mark.length && found === mark.charAt(0).repeat(found.length)
}

function languageOf(line: string, { mark }: Fence): string {
  return (
    line
      .trim()
      .slice(mark.length)
      .trim()
      .split(/[\s{,]/, 1)[0]
      ?.toLowerCase() ?? ''
  )
}

function withoutIndent(line: string, indent: number): string {
  const own = Math.min(indent, indentOf(line))
  return line.slice(own)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
