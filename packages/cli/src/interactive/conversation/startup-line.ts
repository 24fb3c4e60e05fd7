import { type Line, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import type { Words } from '../words/words.js'

/** A step of the start that the user may have to wait for. */
export type StartupStep = keyof Words['work']['opening']

/** Shorter waits are not shown. */
const shownMs = 1000

/** Shows the current step of the start and its time. */
export class StartupLine {
  readonly #words: Words
  readonly #tick: () => void
  #step: { readonly name: StartupStep; readonly since: number } | undefined

  /** `tick` draws again. */
  constructor(words: Words, tick: () => void) {
    this.#words = words
    this.#tick = tick
  }

  /** A line for a step that takes longer than a second, else none. */
  readonly lines = (width: number): readonly Line[] => {
    const waited = this.#step ? performance.now() - this.#step.since : 0
    if (!this.#step || waited < shownMs) return []
    const { opening, running } = this.#words.work
    const text = `${opening[this.#step.name]} ${running(Math.floor(waited / 1000))}`
    return [truncate([span('◌ ', { color: 'cyan' }), span(text, { dim: true })], width)]
  }

  readonly during = async <Result>(name: StartupStep, work: Promise<Result>): Promise<Result> => {
    this.#step = { name, since: performance.now() }
    const ticking = setInterval(this.#tick, shownMs)
    try {
      return await work
    } finally {
      clearInterval(ticking)
      this.#step = undefined
      this.#tick()
    }
  }
}
