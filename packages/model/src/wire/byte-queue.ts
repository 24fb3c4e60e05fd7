/** Bytes between a connection and a reader. Everything that arrived is read, even if the connection broke afterwards. */
export class ByteQueue {
  #chunks: Uint8Array[] = []
  #next = 0
  #end: { readonly error?: unknown } | undefined
  #wake: () => void = () => undefined

  get isEnded(): boolean {
    return this.#end !== undefined
  }

  /** Whether there are unread bytes. */
  get hasUnread(): boolean {
    return this.#next < this.#chunks.length
  }

  push(chunk: Uint8Array): void {
    if (this.#end) return
    this.#chunks.push(chunk)
    this.#wake()
  }

  close(): void {
    this.#end ??= {}
    this.#wake()
  }

  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wake()
  }

  /** The next bytes; undefined at the end. One reader at a time. */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = this.#chunks[this.#next++]
      if (chunk) return chunk
      this.#chunks = []
      this.#next = 0
      if (this.#end && 'error' in this.#end) throw this.#end.error
      if (this.#end) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
