export interface LineBytes {
  readonly bytes: Uint8Array
  /** Whether the line ends after it. */
  readonly ends: boolean
}

/**
 * Splits bytes at line ends: LF, CR LF or CR alone, as server-sent events allow. These are ASCII, so no byte of a
 * longer character can be mistaken for one. A CR at the end waits for the next byte.
 */
export class LineParts {
  #returned = false

  /** Whether the last line is ended by a CR that nothing follows yet. */
  get endsLine(): boolean {
    return this.#returned
  }

  *of(bytes: Uint8Array): Generator<LineBytes> {
    let start = 0
    if (this.#returned && bytes.length > 0) {
      this.#returned = false
      if (bytes[0] === lineFeed) start = 1
      yield { bytes: bytes.subarray(0, 0), ends: true }
    }
    const ends = new LineEnds(bytes)
    for (let end = ends.from(start); end !== -1; end = ends.from(start)) {
      this.#returned = bytes[end] === carriageReturn && end === bytes.length - 1
      yield { bytes: bytes.subarray(start, end), ends: !this.#returned }
      start = bytes[end] === carriageReturn && bytes[end + 1] === lineFeed ? end + 2 : end + 1
    }
    if (start < bytes.length) yield { bytes: bytes.subarray(start), ends: false }
  }
}

/** Finds the next line end. For each of the two characters it searches no further than necessary. */
class LineEnds {
  readonly #bytes: Uint8Array
  #feed = -1
  #return = -1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  from(start: number): number {
    this.#feed = this.#next(lineFeed, this.#feed, start)
    this.#return = this.#next(carriageReturn, this.#return, start)
    const end = Math.min(this.#feed, this.#return)
    return end === Number.POSITIVE_INFINITY ? -1 : end
  }

  #next(byte: number, known: number, start: number): number {
    if (known >= start) return known
    const found = this.#bytes.indexOf(byte, start)
    return found === -1 ? Number.POSITIVE_INFINITY : found
  }
}

const lineFeed = 10
const carriageReturn = 13
