import type { ContextSettings } from '../ground/settings.js'
import type { MessageTokens } from '../ground/token-estimate.js'
import type { CacheState } from './cache-state.js'
import type { HistoryView } from './history-view.js'
import { payingFrom } from './paying-rewrites.js'

/** The facts that decide how the requests of a cell show the rounds before it. */
export interface ShortenedFacts {
  /** The number that is recorded with the cell after a request of it was sent. */
  readonly recorded: number | undefined
  readonly cache: CacheState
  /** How many cells are left out. */
  readonly hidden: number
}

export interface ShortenedParts extends Pick<ContextSettings, 'history' | 'prices'> {
  readonly tokens: MessageTokens
}

/**
 * The number of the newest messages of finished rounds that are short in the next request. Undefined: all. With a cold
 * cache everything is written again, so shortening is free. With a warm one it waits until it pays.
 */
export function shortenedCount(
  view: HistoryView,
  { recorded, cache, hidden }: ShortenedFacts,
  { history, prices, tokens }: ShortenedParts,
): number | undefined {
  if (cache === 'cold' || history.rewrite === 'round') return undefined
  if (recorded !== undefined) return recorded
  const start = view.cells[hidden]?.start ?? view.length
  const waiting = view.waiting(start)
  if (waiting.length === 0) return undefined
  const first = waiting.reduce((least, { position }) => Math.min(least, position), view.length)
  const shown = view.longFrom(first)
  const tokensAt = (position: number) => {
    const message = shown[position - first]
    return message ? tokens.of(message) : 0
  }
  const shortest = new Map(waiting.map(({ position, message }) => [position, tokens.of(message)]))
  const savings = [...shortest].map(([position, short]) => ({ position, saves: tokensAt(position) - short }))
  const from = payingFrom({ waiting: savings, tokensAt, end: view.length, prices })
  if (from === undefined) return 0
  return savings.every(({ position }) => position >= from) ? undefined : view.length - from
}
