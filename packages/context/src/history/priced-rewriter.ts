import { type AgentMessage, textOf } from '@mutsumi/schema'
import type { TokenCounter } from '../ground/ports.js'
import type { Rewrite, Rewriter } from './rewriter.js'
import { StaleReads } from './stale-reads.js'

/** The cost of a token relative to a plain input token. */
export interface CachePrices {
  /** Read from the prompt cache. */
  readonly read: number
  /** Written to it. */
  readonly write: number
}

export interface PricedRewriterOptions {
  readonly tokens: TokenCounter
  readonly prices: CachePrices
  /** A recorded message as it is sent. */
  readonly sent: (message: AgentMessage) => AgentMessage
  /** A result as its round saw it, by its Recall id; undefined if it no longer exists. */
  readonly observation: (id: string) => string | undefined
}

/** Measured on real transcripts: a session has about 75 requests before it ends or is compacted. */
const usualRequests = 60

/** A shorter form that waits until it pays. */
interface Waiting {
  readonly position: number
  readonly message: AgentMessage
  readonly saves: number
}

/**
 * `history.rewrite: "priced"`: results stay as their round saw them, and cuts and stubs wait. A rewrite breaks the
 * prompt cache from its position on, so everything after it is written again. In return, no later request reads the
 * saved tokens. The number of later requests is unknown. The estimate is as many as there were so far, and at least as
 * many as a session usually has.
 */
export class PricedRewriter implements Rewriter {
  readonly #options: PricedRewriterOptions
  readonly #stale: StaleReads
  /** By position, which is the order in which they were added. */
  readonly #waiting = new Map<number, Waiting>()
  /** Tokens of all messages before a position, as they are shown. */
  readonly #upTo: number[] = [0]
  #requests = 0

  constructor(options: PricedRewriterOptions) {
    this.#options = options
    this.#stale = new StaleReads(options.sent)
  }

  roundEnds(round: readonly AgentMessage[], start: number, cell: number): readonly Rewrite[] {
    const shown = new Map<number, AgentMessage>()
    for (const [index, message] of round.entries()) {
      const position = start + index
      if (message.role === 'assistant') this.#requests++
      const whole = this.#asItsRoundSaw(message)
      if (whole) {
        shown.set(position, whole)
        this.#wait(position, message, this.#count(whole))
      }
      this.#upTo[position + 1] = (this.#upTo[position] ?? 0) + this.#count(whole ?? message)
    }
    for (const { read, stub } of this.#stale.roundEnds(round, start, cell))
      this.#wait(read.position, stub, this.#tokensAt(read.position))
    for (const { position, message } of this.#whatPays()) shown.set(position, message)
    return [...shown].map(([position, message]) => ({ position, message }))
  }

  /** The full result, if it still exists and is longer than the kept one. */
  #asItsRoundSaw(message: AgentMessage): AgentMessage | undefined {
    const id = message.role === 'tool' ? message.metadata?.observation : undefined
    const content = typeof id === 'string' ? this.#options.observation(id) : undefined
    if (content === undefined || content.length <= message.content.length) return undefined
    return { ...message, content }
  }

  #wait(position: number, message: AgentMessage, tokens: number): void {
    this.#waiting.set(position, { position, message, saves: tokens - this.#count(message) })
  }

  /**
   * The rewrites that pay: all from one position on, because the first one breaks the cache for everything after it.
   * Without them, the next request reads the rest from the cache. With them, it writes the rest, and every later
   * request reads less.
   */
  #whatPays(): readonly Waiting[] {
    const { read, write } = this.#options.prices
    const total = this.#upTo.at(-1) ?? 0
    const latestFirst = [...this.#waiting.values()].sort((a, b) => b.position - a.position)
    const expected = Math.max(usualRequests, this.#requests)
    let best = { gain: 0, count: 0 }
    let saved = 0
    latestFirst.forEach(({ position, saves }, index) => {
      saved += saves
      const rest = total - (this.#upTo[position] ?? 0)
      const broken = (rest - saved) * write - rest * read
      const gain = expected * saved * read - broken
      if (gain > best.gain) best = { gain, count: index + 1 }
    })
    const paying = latestFirst.slice(0, best.count)
    this.#carryOut(paying)
    return paying
  }

  #carryOut(paying: readonly Waiting[]): void {
    const first = paying.at(-1)?.position
    if (first === undefined) return
    const saved = new Map(paying.map(({ position, saves }) => [position, saves]))
    for (const { position } of paying) this.#waiting.delete(position)
    let less = 0
    for (let position = first; position + 1 < this.#upTo.length; position++) {
      less += saved.get(position) ?? 0
      this.#upTo[position + 1] = (this.#upTo[position + 1] ?? 0) - less
    }
  }

  #tokensAt(position: number): number {
    return (this.#upTo[position + 1] ?? 0) - (this.#upTo[position] ?? 0)
  }

  #count(message: AgentMessage): number {
    return this.#options.tokens.count(textOf(this.#options.sent(message)))
  }
}
