import type { AgentEvent } from '@mutsumi/schema'
import { failureText } from '../../terminal/failure.js'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import { type Line, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import { adviceHere } from '../words/advice.js'
import type { Words } from '../words/words.js'
import { RoundView, type RoundViewOptions } from './round-view.js'

export interface RunningRoundOptions {
  readonly words: Words
  readonly agent: () => Promise<ConversationAgent>
  /** The messages that the user sends into the round. */
  readonly steering: () => readonly string[]
  readonly renderer: () => Promise<RoundViewOptions['renderer']>
  readonly wasAsked: RoundViewOptions['wasAsked']
  readonly fold: RoundViewOptions['fold']
  /** A clock that stops while the user is asked. */
  readonly now: () => number
  readonly width: () => number
  readonly print: (lines: readonly Line[]) => void
  /** Called with every event after it was shown. */
  readonly heard: (event: AgentEvent) => void
}

/** A running round. Shows its events until it ends or is cancelled. */
export class RunningRound {
  readonly canBeSteered = true
  readonly #options: RunningRoundOptions
  readonly #stop = new AbortController()
  #view: RoundView | undefined

  constructor(options: RunningRoundOptions) {
    this.#options = options
  }

  get isCancelled(): boolean {
    return this.#stop.signal.aborted
  }

  cancel(): void {
    this.#stop.abort()
  }

  live(width: number, rows: number): readonly Line[] {
    const starting = this.#options.words.work.starting
    return (
      this.#view?.live(width, rows) ?? [
        truncate([span('◌ ', { color: 'cyan' }), span(starting, { dim: true })], width),
      ]
    )
  }

  /** Never throws. It shows failures instead. */
  async run(prompt: string, plan?: readonly string[]): Promise<void> {
    const { print, width } = this.#options
    try {
      await this.#show(prompt, plan)
    } catch (error) {
      print(wrap([span(`✗ ${visibleLine(adviceHere(failureText(error)))}`, { color: 'red' })], width()))
    }
  }

  async #show(prompt: string, plan: readonly string[] | undefined): Promise<void> {
    const { words, wasAsked, fold, now, print, width, heard, steering } = this.#options
    const [agent, renderer] = await Promise.all([this.#options.agent(), this.#options.renderer()])
    const { model, resultOf } = agent
    const view = new RoundView({
      words,
      renderer,
      model,
      wasAsked,
      fold,
      resultOf,
      now,
    })
    this.#view = view
    for await (const event of agent.run(prompt, this.#stop.signal, { steering, plan })) {
      const loading = view.prepare(event)
      if (loading) await loading
      print(view.hear(event, width()))
      heard(event)
    }
  }
}
