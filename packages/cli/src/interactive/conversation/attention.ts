import type { Words } from '../words/words.js'

/** The state of a conversation, as the window's title says it. */
export type Doing = 'ready' | 'working' | 'waiting'

export interface AttentionOptions {
  readonly words: Words['attention']
  /** Tells several conversations apart. */
  readonly folder: string
  readonly title: (text: string) => void
  /** Calls a person who looks elsewhere. */
  readonly call: (text: string) => void
}

/** Nobody needs to be called who has just pressed a key, or who has just asked. */
const awayMs = 10_000

/** Says in the window's title what the conversation does, and calls a person who looks elsewhere. */
export class Attention {
  readonly #options: AttentionOptions
  #doing: Doing | undefined
  #workedSince = 0
  #keyAt = performance.now()
  #waiting: NodeJS.Timeout | undefined

  constructor(options: AttentionOptions) {
    this.#options = options
  }

  /** The person is here. */
  readonly keyPressed = (): void => {
    this.#keyAt = performance.now()
    clearTimeout(this.#waiting)
  }

  change(doing: Doing): void {
    const before = this.#doing
    if (doing === before) return
    this.#doing = doing
    clearTimeout(this.#waiting)
    const { words, title } = this.#options
    title(words.titles[doing])
    if (doing === 'waiting') this.#callWhenAway()
    // A question is a part of the work.
    else if (doing === 'working' && before !== 'waiting') this.#workedSince = performance.now()
    else if (doing === 'ready' && before !== undefined) this.#finished()
  }

  close(): void {
    clearTimeout(this.#waiting)
  }

  #callWhenAway(): void {
    const left = this.#keyAt + awayMs - performance.now()
    this.#waiting = setTimeout(() => this.#call(this.#options.words.waits), Math.max(0, left)).unref()
  }

  #finished(): void {
    const now = performance.now()
    if (Math.min(now - this.#workedSince, now - this.#keyAt) > awayMs)
      this.#call(this.#options.words.finished)
  }

  #call(text: string): void {
    this.#options.call(`${text} (${this.#options.folder})`)
  }
}
