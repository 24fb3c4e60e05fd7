/** So long after a key the text is kept. */
const pauseMs = 300

/** Keeps the draft after each pause, and when the conversation ends, so that no key waits for the disk. */
export class DraftKeeper {
  readonly #keep: () => void
  #waiting: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(keep: () => void) {
    this.#keep = keep
  }

  changed(): void {
    if (this.#isClosed || this.#waiting) return
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined
      this.#keep()
    }, pauseMs)
    this.#waiting.unref()
  }

  /** Keeps what is there now: nothing if the user sent or cut it. */
  close(): void {
    clearTimeout(this.#waiting)
    this.#isClosed = true
    this.#keep()
  }
}
