import { decodeKeys, endOfKeys, nothingPending, type Pending } from './decode-keys.js'
import type { Input } from './input.js'

/** If the rest of a sequence takes longer, the Esc was a key by itself. */
const sequenceMs = 50
/** If a paste pauses longer, its end was lost. */
const pasteMs = 3000

/** Reads keys from the chunks that a terminal sends. */
export class KeyReader {
  readonly #hear: (input: Input) => void
  #pending: Pending = nothingPending
  #timer: NodeJS.Timeout | undefined
  #isFirst = true

  constructor(hear: (input: Input) => void) {
    this.#hear = hear
  }

  readonly take = (chunk: string): void => {
    this.stop()
    const { inputs, pending } = decodeKeys(this.#pending, this.#isFirst ? withEnter(chunk) : chunk)
    this.#isFirst = false
    this.#pending = pending
    const isPaste = pending.pasted !== undefined
    if (isPaste || pending.rest !== '') this.#timer = setTimeout(this.#end, isPaste ? pasteMs : sequenceMs)
    for (const input of inputs) this.#hear(input)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  readonly #end = (): void => {
    const inputs = endOfKeys(this.#pending)
    this.#pending = nothingPending
    for (const input of inputs) this.#hear(input)
  }
}

/** Until the program takes the keys, a terminal turns Enter into a line end. That of one line was meant to send it. */
function withEnter(chunk: string): string {
  const isOneLine = chunk.length > 1 && chunk.search(/\p{Cc}/u) === chunk.length - 1
  return isOneLine && chunk.endsWith('\n') ? `${chunk.slice(0, -1)}\r` : chunk
}
