import type { Hash } from 'node:crypto'
import type { LineRange } from '@mutsumi/schema'
import { type Encoding, nextLineFeed } from './decode.js'
import { readBytes } from './read-bytes.js'

/** How far into a file lines are looked for. */
export const scanLimit = 64 * 1024 * 1024

const blockLength = 256 * 1024

export interface ScanRequest {
  readonly encoding: Encoding
  readonly range: LineRange
  /** Go on behind the range, to learn how many lines there are. */
  readonly countAll: boolean
  /** Hears every byte that is looked at. */
  readonly digest?: Hash
}

/** Where lines lie in a file, in bytes. */
export interface LineScan {
  /** The start of the first line; undefined where no line of that number was seen. */
  readonly from: number | undefined
  /** Behind the last line's terminator; undefined where not all of the lines were seen. */
  readonly to: number | undefined
  /** Lines seen, and the bytes they take: the whole file's where `complete`. */
  readonly lines: number
  readonly bytes: number
  readonly complete: boolean
}

/** Looks for lines with one fixed buffer, whatever the file's size; undefined where a NUL shows that it is no text. */
export function scanLines(
  fd: number,
  { encoding, range, countAll, digest }: ScanRequest,
): LineScan | undefined {
  const marks = new LineMarks(range, encoding.mark)
  let position = encoding.mark
  for (;;) {
    const block = readBytes(fd, position, blockLength)
    if (encoding.width === 1 && block.includes(0)) return undefined
    digest?.update(block)
    markLines(block, position, encoding, marks)
    position += block.length
    if (block.length < blockLength) return marks.conclude(position, true)
    const found = marks.to !== undefined && !countAll
    if (found || position >= scanLimit) return marks.conclude(position, false)
  }
}

function markLines(block: Buffer, position: number, encoding: Encoding, marks: LineMarks): void {
  const { width } = encoding
  for (let at = nextLineFeed(block, 0, encoding); at !== -1; at = nextLineFeed(block, at + width, encoding))
    marks.startLine(position + at + width)
}

/** Remembers where the asked lines begin and end while the file goes by. */
class LineMarks {
  readonly #range: LineRange
  #line = 1
  #lineStart: number
  #from: number | undefined
  to: number | undefined

  constructor(range: LineRange, start: number) {
    this.#range = range
    this.#lineStart = start
    if (range.start === 1) this.#from = start
  }

  startLine(at: number): void {
    this.#line++
    this.#lineStart = at
    if (this.#line === this.#range.start) this.#from = at
    if (this.#line === this.#range.end + 1) this.to = at
  }

  conclude(bytes: number, complete: boolean): LineScan {
    // Behind a last terminator there is no further line: `a\nb\n` has two.
    const lines = this.#lineStart === bytes ? this.#line - 1 : this.#line
    const isLast = complete && this.#range.end === lines
    return {
      from: this.#range.start <= lines ? this.#from : undefined,
      to: this.to ?? (isLast ? bytes : undefined),
      lines,
      bytes,
      complete,
    }
  }
}
