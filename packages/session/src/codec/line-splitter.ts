/** One line as bytes, without its line end. `bytes` is absent if the line is too long. */
export interface RawLine {
  /** From 1. */
  readonly number: number
  /** Offset of its first byte in the file. */
  readonly offset: number
  /** How many bytes it has, without its line end. */
  readonly length: number
  readonly bytes?: Uint8Array
  /** False for a last line without a line end. */
  readonly ended: boolean
}

const lineFeed = 0x0a

/** Finds the next line feed from a position on; -1: there is none. */
export type LineEnd = (bytes: Uint8Array, from: number) => number

const usualLineEnd: LineEnd = (bytes, from) => bytes.indexOf(lineFeed, from)

/** Splits chunks of a file into lines. It never holds more than one line, and at most `limit` bytes of it. */
export class LineSplitter {
  readonly #limit: number
  readonly #lineEnd: LineEnd
  #parts: Uint8Array[] = []
  #length = 0
  #offset = 0
  #number = 1

  constructor(limit: number, lineEnd: LineEnd = usualLineEnd) {
    this.#limit = limit
    this.#lineEnd = lineEnd
  }

  /** Passes each line that the chunk completes to `take`. The bytes belong to the chunk: copy them to keep them. */
  push(chunk: Uint8Array, take: (line: RawLine) => void): void {
    let start = 0
    for (let end = this.#lineEnd(chunk, 0); end !== -1; end = this.#lineEnd(chunk, start)) {
      take(this.#complete(chunk.subarray(start, end), true))
      start = end + 1
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start))
  }

  /** The rest after the last line end, if any. */
  end(): RawLine | undefined {
    return this.#length === 0 ? undefined : this.#complete(new Uint8Array(), false)
  }

  #hold(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length > this.#limit) this.#parts = []
    // A copy, because the reader reuses its chunk; `slice` of a Node buffer does not copy.
    else this.#parts.push(new Uint8Array(part))
  }

  #complete(rest: Uint8Array, ended: boolean): RawLine {
    const length = this.#length + rest.length
    const bytes = length > this.#limit ? undefined : this.#joined(rest, length)
    const line = { number: this.#number, offset: this.#offset, length, ended, ...(bytes && { bytes }) }
    this.#number += 1
    this.#offset += length + 1
    this.#length = 0
    this.#parts = []
    return line
  }

  #joined(rest: Uint8Array, length: number): Uint8Array {
    if (this.#parts.length === 0) return rest
    const whole = new Uint8Array(length)
    let at = 0
    for (const part of [...this.#parts, rest]) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }
}
