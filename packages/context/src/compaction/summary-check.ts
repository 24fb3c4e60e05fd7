import type { TokenCounter } from '../ground/ports.js'
import { isUnfilled, readSummary } from '../history/summary-template.js'

export interface CheckOptions {
  /** Tokens of the rounds that the summary replaces. */
  readonly replaces: number
  readonly counter: TokenCounter
}

/** The problem with a model's summary; undefined if it can be used. */
export function summaryFault(answer: string, { replaces, counter }: CheckOptions): string | undefined {
  if (answer.trim() === '') return 'it is empty'
  const { bodies, missing, text } = readSummary(answer)
  if (missing.length > 0)
    return `these parts are missing: ${missing.map((heading) => `"${heading}"`).join(', ')}`
  const told = (['objectives', 'milestones'] as const).map((part) => ({ part, body: bodies.get(part) ?? '' }))
  if (told.some(({ body }) => body === '')) return 'the goal or the milestones are missing'
  if (told.some(({ part, body }) => isUnfilled(part, body))) return 'it is the template, not a summary'
  const tokens = counter.count(text)
  if (tokens >= replaces)
    return `it takes about ${tokens} tokens, but the rounds that it would replace take only ${replaces}`
  return undefined
}
