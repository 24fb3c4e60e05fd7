import type { TokenCounter } from '../ground/ports.js'
import { isUnfilled, readSummary } from '../history/summary-template.js'

export interface CheckOptions {
  /** Tokens of what the summary stands for. */
  readonly replaces: number
  readonly counter: TokenCounter
}

/** What is wrong with a model's summary; undefined where it can be used. */
export function summaryFault(answer: string, { replaces, counter }: CheckOptions): string | undefined {
  if (answer.trim() === '') return 'it is empty'
  const { bodies, missing, text } = readSummary(answer)
  if (missing.length > 0) return `it lacks ${missing.map((heading) => `"${heading}"`).join(', ')}`
  const told = (['objectives', 'milestones'] as const).map((part) => ({ part, body: bodies.get(part) ?? '' }))
  if (told.some(({ body }) => body === '')) return 'it names no goal or no milestones'
  if (told.some(({ part, body }) => isUnfilled(part, body))) return 'it is the template, not filled in'
  const tokens = counter.count(text)
  if (tokens >= replaces)
    return `it takes about ${tokens} tokens, no fewer than the ${replaces} of what it would replace`
  return undefined
}
