import { StringDecoder } from 'node:string_decoder'
import { cutEnds, type TextEnds, withoutHalfEnd, withoutHalfStart } from '../contract/cap-output.js'

export type Stream = 'stdout' | 'stderr'

/** A program may switch between its streams with every character. */
const mostRanges = 1000

export interface OutputLimits {
  /** How much of the output is shown. */
  readonly shown: number
  /** How much of it is kept for later. */
  readonly kept: number
}

/**
 * Both streams of a command as one text, in the order in which they arrived. Only the first `kept` characters and the
 * tail stay in memory, however long the output is.
 */
export class CommandOutput {
  readonly #limits: OutputLimits
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  readonly #kept: string[] = []
  #keptLength = 0
  #length = 0
  #tail = ''
  /** The ranges of standard error in the whole output, in order. */
  readonly #errors: { start: number; end: number }[] = []

  constructor(limits: OutputLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#length
  }

  /** Adds bytes and returns them as text. An incomplete character waits for its rest. */
  add(stream: Stream, bytes: Buffer): string {
    return this.#append(stream, this.#decoders[stream].write(bytes))
  }

  /** The bytes of a character that stayed incomplete. */
  end(stream: Stream): string {
    return this.#append(stream, this.#decoders[stream].end())
  }

  /** The whole output as a head, or its ends if it is too long. */
  shown(): TextEnds {
    const { shown } = this.#limits
    if (this.#length <= shown) return { head: this.#kept.join(''), tail: '', leftOut: 0 }
    return cutEnds({ start: this.#firstCharacters(shown), end: this.#tail, length: this.#length }, shown)
  }

  /** The ranges of standard error in `text`, which shows these ends of the output: from, and up to but not including. */
  errorsIn(text: string, { head, tail }: TextEnds): readonly (readonly [number, number])[] {
    const ends = [
      { from: 0, to: head.length, at: 0 },
      { from: this.#length - tail.length, to: this.#length, at: text.length - tail.length },
    ]
    return ends.flatMap(({ from, to, at }) =>
      this.#errors
        .map(({ start, end }) => [Math.max(start, from) - from + at, Math.min(end, to) - from + at] as const)
        .filter(([start, end]) => start < end),
    )
  }

  /** The whole output; without its middle if it was too long to keep. */
  full(): string {
    const kept = this.#kept.join('')
    const missing = this.#length - this.#keptLength
    if (missing === 0) return kept
    const end = withoutHalfStart(this.#tail.slice(-Math.min(missing, this.#limits.shown)))
    return `${withoutHalfEnd(kept)}\n(${missing - end.length} characters were not kept)\n${end}`
  }

  #append(stream: Stream, text: string): string {
    if (stream === 'stderr') this.#noteErrors(text.length)
    this.#length += text.length
    this.#tail = (this.#tail + text).slice(-this.#limits.shown)
    const room = this.#limits.kept - this.#keptLength
    if (room > 0 && text !== '') {
      const part = text.slice(0, room)
      this.#kept.push(part)
      this.#keptLength += part.length
    }
    return text
  }

  #noteErrors(length: number): void {
    const last = this.#errors.at(-1)
    if (last && last.end === this.#length) last.end += length
    else if (length > 0 && this.#errors.length < mostRanges)
      this.#errors.push({ start: this.#length, end: this.#length + length })
  }

  #firstCharacters(count: number): string {
    let text = ''
    for (const part of this.#kept) {
      text += part
      if (text.length >= count) break
    }
    return text
  }
}
