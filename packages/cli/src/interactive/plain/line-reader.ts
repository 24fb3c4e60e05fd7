import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'

/** Lines that a person types, with the terminal's own editing. */
export class LineReader {
  readonly #interface: Interface
  readonly #waiting: string[] = []
  #resolve: ((line: string | undefined) => void) | undefined
  #isClosed = false

  constructor(interrupted: () => void) {
    this.#interface = createInterface({ input: process.stdin, terminal: false })
    this.#interface.on('line', (line) => {
      if (this.#resolve) this.#give(line)
      else this.#waiting.push(line)
    })
    void once(this.#interface, 'close').then(() => {
      this.#isClosed = true
      this.#give(undefined)
    })
    process.on('SIGINT', interrupted)
  }

  /** Reads one line. Undefined if the input is over, or after `giveUp`. */
  read(prompt: string): Promise<string | undefined> {
    process.stdout.write(prompt)
    const next = this.#waiting.shift()
    if (next !== undefined || this.#isClosed) return Promise.resolve(next)
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Stops waiting for a line. */
  giveUp(): void {
    this.#give(undefined)
  }

  close(): void {
    this.#interface.close()
    process.stdin.pause()
  }

  #give(line: string | undefined): void {
    const resolve = this.#resolve
    this.#resolve = undefined
    resolve?.(line)
  }
}
