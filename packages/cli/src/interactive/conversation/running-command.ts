import { type Line, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import type { Words } from '../words/words.js'
import type { Running } from './work.js'

/** A command that takes time. Shows its work and its time until it ends or is cancelled. */
export class RunningCommand implements Running {
  readonly #what: string
  readonly #words: Words
  readonly #stop = new AbortController()
  readonly #since = performance.now()

  constructor(what: string, words: Words) {
    this.#what = what
    this.#words = words
  }

  get isCancelled(): boolean {
    return this.#stop.signal.aborted
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  cancel(): void {
    this.#stop.abort()
  }

  live(width: number): readonly Line[] {
    const seconds = Math.floor((performance.now() - this.#since) / 1000)
    const time = seconds > 0 ? ` ${this.#words.work.running(seconds)}` : ''
    const text = span(`${visibleLine(this.#what)}${time}`, { dim: true })
    return [truncate([span('◌ ', { color: 'cyan' }), text], width)]
  }
}
