/** Closes things after the last round that may use them. */
export class LateClosing {
  #held = 0
  #waiting: (() => void)[] = []

  /** Nothing closes until the returned function is called. */
  hold(): () => void {
    let isHeld = true
    this.#held++
    return () => {
      if (!isHeld) return
      isHeld = false
      if (--this.#held === 0) this.closeAll()
    }
  }

  /** Closes now, or after the last holder. */
  close(close: () => void): void {
    if (this.#held === 0) close()
    else this.#waiting.push(close)
  }

  /** Closes everything that waits. */
  closeAll(): void {
    for (const close of this.#waiting.splice(0)) close()
  }
}
