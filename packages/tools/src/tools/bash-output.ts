import { StringDecoder } from 'node:string_decoder'
import { cutMiddle, type TextEnds, withoutHalfEnd, withoutHalfStart } from './cap-output.js'

export type Stream = 'stdout' | 'stderr'

export interface OutputLimits {
  /** How much of the output is shown. */
  readonly shown: number
  /** How much of it is kept for later. */
  readonly kept: number
}

/**
 * Both streams of a command as one text, in the order in which it came. However much comes, only the first
 * `kept` characters and the tail stay in memory.
 */
export class CommandOutput {
  readonly #limits: OutputLimits
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  readonly #kept: string[] = []
  #keptLength = 0
  #length = 0
  #tail = ''

  constructor(limits: OutputLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#length
  }

  /** Adds bytes and returns them as text; a character that is cut waits for its rest. */
  add(stream: Stream, bytes: Buffer): string {
    return this.#append(this.#decoders[stream].write(bytes))
  }

  /** Bytes of a character that never got its rest. */
  end(stream: Stream): string {
    return this.#append(this.#decoders[stream].end())
  }

  /** The whole as a head, or its ends where it is too long. */
  shown(): TextEnds {
    const { shown } = this.#limits
    if (this.#length <= shown) return { head: this.#kept.join(''), tail: '', leftOut: 0 }
    return cutMiddle({ start: this.#firstCharacters(shown), end: this.#tail, length: this.#length }, shown)
  }

  /** The whole output; where it was too long to keep, without its middle. */
  full(): string {
    const kept = this.#kept.join('')
    const missing = this.#length - this.#keptLength
    if (missing === 0) return kept
    const end = withoutHalfStart(this.#tail.slice(-Math.min(missing, this.#limits.shown)))
    return `${withoutHalfEnd(kept)}\n(${missing - end.length} characters were not kept)\n${end}`
  }

  #append(text: string): string {
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

  #firstCharacters(count: number): string {
    let text = ''
    for (const part of this.#kept) {
      text += part
      if (text.length >= count) break
    }
    return text
  }
}
