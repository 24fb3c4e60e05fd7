import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { visibleLine } from '../text/visible-text.js'

/** Lines that a person types, with the terminal's own editing. */
export class LineReader {
  readonly #interface: Interface
  #waiting: string[] = []
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

  /** Reads one line, also one that was typed before. Undefined if the input is over, or after `giveUp`. */
  read(prompt: string): Promise<string | undefined> {
    const next = this.#waiting.shift()
    if (next === undefined) return this.readNew(prompt)
    // The terminal showed it somewhere above.
    process.stdout.write(`${prompt}${visibleLine(next)}\n`)
    return Promise.resolve(next)
  }

  /** Reads a line that is typed after the prompt. An earlier line cannot be its answer. */
  readNew(prompt: string): Promise<string | undefined> {
    process.stdout.write(prompt)
    if (this.#isClosed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Keeps a line for the next prompt. */
  keep(line: string): void {
    this.#waiting.push(line)
  }

  /** The lines that wait. They are no longer read. */
  takeBack(): readonly string[] {
    const lines = this.#waiting
    this.#waiting = []
    return lines
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
