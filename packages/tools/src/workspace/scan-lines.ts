import { createHash } from 'node:crypto'
import { type Encoding, nextLineFeed } from './decode.js'
import { readBytes } from './read-bytes.js'

/** How far into a file lines are looked for. */
const scanLimit = 64 * 1024 * 1024

/** A file is looked through in blocks of this many bytes. */
export const blockLength = 64 * 1024

/** What was seen of a file when its end, or the limit, was reached. */
export interface ScanEnd {
  /** Lines seen, and the bytes they take: the whole file's where `complete`. */
  readonly lines: number
  readonly bytes: number
  readonly complete: boolean
}

/** All lines counted, and the SHA-256 of all bytes, hexadecimal, unless the file is too large to be read whole. */
export interface Measure extends ScanEnd {
  readonly hash: string | undefined
}

/** A NUL was met, at most this many bytes into the file: it is no text. */
export interface NoText {
  readonly binary: true
  readonly bytes: number
}

/** What holds where a block begins: the line that goes on there, and where that line began. */
interface BlockStart {
  readonly line: number
  readonly lineStart: number
}

/**
 * Where a file's lines begin, as far as anybody has looked. A search begins at the nearest block that is known,
 * so that any number of ranges goes over the file once, with one fixed buffer. The answers are those of a search
 * from the first byte: who came first does not matter.
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

  /** Where a line begins; behind the last terminator begins one more, which is no line. */
  startOf(fd: number, line: number): { readonly at: number } | ScanEnd | NoText {
    for (let index = this.#nearestBlock(line); ; index++) {
      const start = this.#blocks[index]
      // Where no block follows, the end was seen.
      if (start === undefined) return this.#end as ScanEnd
      if (start.line === line) return { at: start.lineStart }
      const block = this.#read(fd, index)
      if ('binary' in block) return block
      const at = this.#learn(block, index, line)
      if (at !== undefined) return { at }
    }
  }

  /** Counts the lines of a file of `size` bytes and hashes these, both once. */
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
    // Where no block follows, the end was seen.
    const end = this.#end as ScanEnd
    this.#measure = { ...end, hash: end.complete ? digest?.digest('hex') : undefined }
    return this.#measure
  }

  /** The last known block that does not begin behind the line's start. */
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

  /** Takes a block in and says where `wanted` begins in it. A block that is known is only searched. */
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

  /** Behind a block comes the next one, or nothing that is looked at. */
  #add(next: BlockStart, bytes: number, complete: boolean): void {
    if (!complete && bytes < scanLimit) this.#blocks.push(next)
    // Behind a last terminator there is no further line: `a\nb\n` has two.
    else this.#end = { lines: next.lineStart === bytes ? next.line - 1 : next.line, bytes, complete }
  }
}
