import { crc32 } from 'node:zlib'

const lineFeed = 0x0a
const slabSize = 4 * 1024 * 1024

/** Shorter texts stay in memory, because a place takes almost as much. */
const leastPlaced = 4096

export interface KeptOptions {
  /** One letter for the type of each record, and the letters of those whose long texts stay in the file. */
  readonly types: string
  readonly placed: string
  /** The beginning of a line by the letter of its type; of the header for an empty one. */
  readonly headOf: (letter: string) => string
}

/** A line in memory. If its long text stays in the file, the text is left out here. */
export interface KeptLine {
  readonly bytes: Buffer
  /** The position and the length of the whole line in the file. */
  readonly offset: number
  readonly length: number
}

/**
 * The lines of a file as bytes in memory, without the long texts of results and snapshots:
 *
 *     {"type":"result", … "tool":"Read","content":"","observation":"…","sum":"01234567"}
 *                                                ^ a text of at least 4 096 bytes stays in the file
 */
export class KeptLines {
  readonly #types: string
  readonly #placed: string
  readonly #headOf: KeptOptions['headOf']
  readonly #slabs: Buffer[] = []
  #used = slabSize
  /** The beginning of each line in the file, and the end of the last. */
  readonly #offsets: Float64Array
  /** Position and length in the slabs. */
  readonly #places: Float64Array
  readonly #lengths: Float64Array
  #line = 0
  #isOfTypes = true
  #sum = 0
  #size = 0
  /** The beginning of a line that the last chunk did not complete. */
  #parts: Buffer[] = []

  constructor({ types, placed, headOf }: KeptOptions) {
    this.#types = types
    this.#placed = placed
    this.#headOf = headOf
    this.#offsets = new Float64Array(types.length + 2)
    this.#places = new Float64Array(types.length + 1)
    this.#lengths = new Float64Array(types.length + 1)
  }

  get sum(): number {
    return this.#sum
  }

  /** Whether there was a header, one line for each type, and nothing else. */
  get isWhole(): boolean {
    return this.#isOfTypes && this.#line === this.#types.length + 1 && this.#parts.length === 0
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    this.#sum = crc32(bytes, this.#sum)
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      this.#complete(bytes.subarray(start, end), this.#size + end + 1)
      start = end + 1
    }
    // A copy, because the reader reuses its chunk.
    if (start < bytes.length) this.#parts.push(Buffer.from(bytes.subarray(start)))
    this.#size += bytes.length
  }

  line(number: number): KeptLine {
    const place = this.#places[number] ?? 0
    const start = place % slabSize
    const slab = this.#slabs[Math.floor(place / slabSize)] ?? Buffer.alloc(0)
    const offset = this.#offsets[number] ?? 0
    const length = (this.#offsets[number + 1] ?? 0) - 1 - offset
    return { bytes: slab.subarray(start, start + (this.#lengths[number] ?? 0)), offset, length }
  }

  #complete(rest: Buffer, end: number): void {
    const line = this.#line++
    if (line > this.#types.length) return
    this.#offsets[line + 1] = end
    const bytes = this.#parts.length === 0 ? rest : Buffer.concat([...this.#parts, rest])
    this.#parts = []
    this.#isOfTypes &&= hasHead(bytes, this.#headOf(line === 0 ? '' : this.#types.charAt(line - 1)))
    const isPlaced =
      line > 0 && bytes.length >= leastPlaced && this.#placed.includes(this.#types.charAt(line - 1))
    this.#keep(line, (isPlaced && withoutText(bytes)) || bytes)
  }

  #keep(line: number, bytes: Buffer): void {
    if (bytes.length > slabSize) {
      // A slab of its own; nothing else may follow in it.
      this.#places[line] = this.#slabs.push(Buffer.from(bytes)) * slabSize - slabSize
      this.#used = slabSize
    } else {
      if (this.#used + bytes.length > slabSize) {
        this.#slabs.push(Buffer.allocUnsafeSlow(slabSize))
        this.#used = 0
      }
      const slab = this.#slabs.length - 1
      this.#slabs[slab]?.set(bytes, this.#used)
      this.#places[line] = slab * slabSize + this.#used
      this.#used += bytes.length
    }
    this.#lengths[line] = bytes.length
  }
}

function hasHead(line: Buffer, head: string): boolean {
  for (let at = 0; at < head.length; at++) if (line[at] !== head.charCodeAt(at)) return false
  return true
}

const contentStart = Buffer.from('"content":"')
/** In a text, a quotation mark has a backslash before it, so this is the end of a text. */
const textEnd = Buffer.from('","')

/** Everything before the text of a result or a snapshot, as Mutsumi writes it. */
const usualHead =
  /^\{"type":"(?:result","id":"[^"\\]*","at":"[^"\\]*","cell":"[^"\\]*","step":\d+,"call":"[^"\\]*","tool":"[^"\\]*"|snapshot","id":"[^"\\]*","at":"[^"\\]*","hash":"[0-9a-f]*","size":\d+),"content":"$/

const longestHead = 1024

/** A line with an empty text; undefined if the line is not as Mutsumi writes it. */
function withoutText(line: Buffer): Buffer | undefined {
  const start = line.subarray(0, longestHead).indexOf(contentStart) + contentStart.length
  if (start < contentStart.length || !usualHead.test(line.toString('latin1', 0, start))) return undefined
  const end = line.indexOf(textEnd, start)
  return end - start < leastPlaced / 2
    ? undefined
    : Buffer.concat([line.subarray(0, start), line.subarray(end)])
}
