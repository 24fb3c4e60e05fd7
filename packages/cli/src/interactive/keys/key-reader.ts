import { decodeKeys, endOfKeys, nothingPending, type Pending } from './decode-keys.js'
import type { Input } from './input.js'

/** How long the rest of a sequence may take. Longer, and the Esc was a key by itself. */
const sequenceMs = 50
/** How long a paste may stop. Longer, and its end got lost. */
const pasteMs = 3000

/** Keys from what a terminal sends, chunk by chunk. */
export class KeyReader {
  readonly #hear: (input: Input) => void
  #pending: Pending = nothingPending
  #timer: NodeJS.Timeout | undefined

  constructor(hear: (input: Input) => void) {
    this.#hear = hear
  }

  readonly take = (chunk: string): void => {
    this.stop()
    const { inputs, pending } = decodeKeys(this.#pending, chunk)
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
