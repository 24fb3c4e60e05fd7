/** A piece of a reply, and the length of the text before it. */
export interface ReplyPiece {
  readonly from: number
  readonly content: string
}

/** A process that is killed loses at most two seconds, and a write takes a moment. */
const everyMs = 1500

/** Records a reply while it streams in: only its new text, and not after every token. A short reply is not recorded at all. */
export class ReplyRecorder {
  readonly #record: (piece: ReplyPiece) => Promise<void>
  #text = ''
  #recorded = 0
  #timer: NodeJS.Timeout | undefined

  constructor(record: (piece: ReplyPiece) => Promise<void>) {
    this.#record = record
  }

  /** Takes the text so far. It is shorter than before if the reply begins again. */
  readonly heard = (text: string): void => {
    if (text.length < this.#recorded) this.#recorded = 0
    this.#text = text
    if (text.length > this.#recorded) this.#timer ??= setTimeout(() => this.#recordNew(), everyMs)
  }

  /** The reply is complete, or nobody wants the rest. Its step is recorded next. */
  end(): void {
    clearTimeout(this.#timer)
  }

  #recordNew(): void {
    this.#timer = undefined
    const from = this.#recorded
    this.#recorded = this.#text.length
    // If the file cannot be written, the record of the step reports that.
    void this.#record({ from, content: this.#text.slice(from) }).catch(() => undefined)
  }
}
