/** So long after Shift+Tab its mode decides an open question. */
const passingMs = 1000

/** Shift+Tab goes through modes that the user does not want, so an open question waits until they stay in one. */
export class PassedModes {
  readonly #judge: () => void
  #waiting: NodeJS.Timeout | undefined

  /** `judge` decides the open question by the mode of now. */
  constructor(judge: () => void) {
    this.#judge = judge
  }

  changed(): void {
    clearTimeout(this.#waiting)
    this.#waiting = setTimeout(() => this.stay(), passingMs)
    this.#waiting.unref()
  }

  /** The user stays in the mode. */
  stay(): void {
    if (this.#waiting === undefined) return
    this.close()
    this.#judge()
  }

  close(): void {
    clearTimeout(this.#waiting)
    this.#waiting = undefined
  }
}
