import { createHash } from 'node:crypto'
import { type Encoding, nextLineFeed } from './decode.js'
import { readBytes } from './read-bytes.js'

/** How many bytes of a file are searched for lines. */
const scanLimit = 64 * 1024 * 1024

/** A file is searched in blocks of this many bytes. */
export const blockLength = 64 * 1024

/** The state when the end of a file or the limit was reached. */
export interface ScanEnd {
  /** The lines found and their bytes; those of the whole file if `complete`. */
  readonly lines: number
  readonly bytes: number
  readonly complete: boolean
}

/** The number of lines, and the SHA-256 of all bytes, hexadecimal, unless the file is too large to read whole. */
export interface Measure extends ScanEnd {
  readonly hash: string | undefined
}

/** A NUL was found within this many bytes, so the file is not text. */
export interface NoText {
  readonly binary: true
  readonly bytes: number
}

/** The state at the beginning of a block: the line that continues there, and where that line began. */
interface BlockStart {
  readonly line: number
  readonly lineStart: number
}

/**
 * The beginnings of a file's lines, as far as it was searched. A search begins at the nearest known block, so that many
 * ranges need only one pass over the file, with one fixed buffer. The results are the same as for a search from the
 * first byte, in any order of calls.
 */
export class LineMap {
  readonly #encoding: Encoding
  readonly #blocks: BlockStart[]
  #end: ScanEnd | undefined
  #measure: Measure | undefined

  constructor(encoding: Encoding) {
    this.#encoding = encoding
    this.#blocks = [{ line: 1, lineStart: encoding.mark }]
  }

  /** The beginning of a line. After the last line end there is one more beginning, which is not a line. */
  startOf(fd: number, line: number): { readonly at: number } | ScanEnd | NoText {
    for (let index = this.#nearestBlock(line); ; index++) {
      const start = this.#blocks[index]
      // If no block follows, the end was reached.
      if (start === undefined) return this.#end as ScanEnd
      if (start.line === line) return { at: start.lineStart }
      const block = this.#read(fd, index)
      if ('binary' in block) return block
      const at = this.#learn(block, index, line)
      if (at !== undefined) return { at }
    }
  }

  /** Counts the lines of a file of `size` bytes and hashes the bytes, both once. */
  measure(fd: number, size: number): Measure | NoText {
    if (this.#measure) return this.#measure
    const digest = size <= scanLimit ? createHash('sha256') : undefined
    digest?.update(readBytes(fd, 0, this.#encoding.mark))
    for (let index = 0; index < this.#blocks.length; index++) {
      const block = this.#read(fd, index)
      if ('binary' in block) return block
      digest?.update(block)
      this.#learn(block, index)
    }
    // If no block follows, the end was reached.
    const end = this.#end as ScanEnd
    this.#measure = { ...end, hash: end.complete ? digest?.digest('hex') : undefined }
    return this.#measure
  }

  /** The last known block that does not begin after the line's start. */
  #nearestBlock(line: number): number {
    let low = 0
    let high = this.#blocks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#blocks[middle]?.line ?? 0) <= line) low = middle
      else high = middle - 1
    }
    return low
  }

  #read(fd: number, index: number): Buffer | NoText {
    const position = this.#positionOf(index)
    const block = readBytes(fd, position, blockLength)
    const isBinary = this.#encoding.width === 1 && block.includes(0)
    return isBinary ? { binary: true, bytes: position + block.length } : block
  }

  #positionOf(index: number): number {
    return this.#encoding.mark + index * blockLength
  }

  /** Adds a block and says where `wanted` begins in it. A known block is only searched. */
  #learn(block: Buffer, index: number, wanted?: number): number | undefined {
    const encoding = this.#encoding
    const position = this.#positionOf(index)
    const isKnown = this.#end !== undefined || index + 1 < this.#blocks.length
    if (isKnown && wanted === undefined) return undefined
    let { line, lineStart } = this.#blocks[index] as BlockStart
    let found: number | undefined
    for (let at = nextLineFeed(block, 0, encoding); at !== -1; ) {
      const next = at + encoding.width
      line++
      lineStart = position + next
      if (line === wanted) found = lineStart
      if (found !== undefined && isKnown) return found
      at = nextLineFeed(block, next, encoding)
    }
    if (!isKnown) this.#add({ line, lineStart }, position + block.length, block.length < blockLength)
    return found
  }

  /** After a block comes the next one, or nothing that is searched. */
  #add(next: BlockStart, bytes: number, complete: boolean): void {
    if (!complete && bytes < scanLimit) this.#blocks.push(next)
    // After a final line end there is no further line: `a\nb\n` has two.
    else this.#end = { lines: next.lineStart === bytes ? next.line - 1 : next.line, bytes, complete }
  }
}
