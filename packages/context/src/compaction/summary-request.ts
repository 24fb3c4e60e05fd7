import { lengthTokenCounter, type TokenCounter } from '../ground/ports.js'
import type { Round } from '../history/rounds.js'
import { summaryTemplate } from '../history/summary-template.js'
import system from '../prompts/summary.md'
import instructionsPrompt from '../prompts/summary-instructions.md'
import request from '../prompts/summary-request.md'
import { chooseBoundary, printed } from '../text/boundary.js'
import { cutMiddle } from '../text/cut-text.js'
import { withoutTags } from '../text/without-tags.js'
import { fitRounds, type Section, tellRound } from './summary-history.js'

/** The request to the model that writes a summary. */
export interface SummaryRequest {
  readonly system: string
  readonly prompt: string
}

export interface SummaryRequestOptions {
  /** They stay in the conversation, and the prompt asks the model not to repeat them. */
  readonly previousSummaries?: readonly string[]
  /** The number of the first of these rounds in the session, from 1. */
  readonly firstRound?: number
  /** The user's own words on what it should keep. */
  readonly instructions?: string
  /** The most tokens for the prompt. */
  readonly maxTokens?: number
  readonly counter?: TokenCounter
}

/** More would leave no room for the history. */
const longestInstructions = 2000

/**
 * Writes the request for a summary. The history is placed between boundary lines that cannot occur in it, and cut to
 * fit into `maxTokens`. Results are cut first, the oldest before newer ones. The user's questions and the answers stay
 * longest.
 */
export function summaryRequest(
  rounds: readonly Round[],
  {
    previousSummaries = [],
    firstRound = 1,
    instructions = '',
    maxTokens = 100_000,
    counter = lengthTokenCounter,
  }: SummaryRequestOptions = {},
): SummaryRequest {
  const earlier = earlierSections(previousSummaries, maxTokens)
  const taken = earlier.reduce((sum, { text }) => sum + text.length, 0)
  const told = rounds.map((round, index) => tellRound(round, firstRound + index))
  // The limit is converted to characters. If the text has more tokens than the rule of thumb says, it gets fewer of
  // them.
  let room = maxTokens * 3
  let prompt = ''
  for (let attempt = 0; attempt < 5; attempt++) {
    prompt = wordPrompt([...earlier, ...fitRounds(told, room - taken)], {
      first: firstRound,
      last: firstRound + rounds.length - 1,
      instructions,
    })
    const tokens = counter.count(prompt)
    if (tokens <= maxTokens) break
    room = Math.floor(room * Math.min(0.9, (maxTokens / tokens) * 0.95))
  }
  return { system: fill(system, { TEMPLATE: summaryTemplate }).trim(), prompt }
}

function wordPrompt(
  sections: readonly Section[],
  {
    first,
    last,
    instructions,
  }: { readonly first: number; readonly last: number; readonly instructions: string },
): string {
  const boundary = chooseBoundary(sections.flatMap(({ label, text }) => [printed(label), printed(text)]))
  const history = sections.map(({ label, text }) => `${boundary} ${label}\n${text === '' ? '' : `${text}\n`}`)
  const wishes = cutMiddle(instructions.trim(), longestInstructions)
  const added = wishes === '' ? '' : `\n\n${fill(instructionsPrompt, { INSTRUCTIONS: wishes }).trim()}`
  const asked = fill(request, {
    ROUNDS: first === last ? `round ${first}` : `rounds ${first} to ${last}`,
    BOUNDARY: boundary,
    HISTORY: `${history.join('')}${boundary} end`,
  }).trim()
  return asked + added
}

/** In one pass, so inserted text is not scanned again. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{([A-Z]+)\}\}/g, (name, key: string) => values[key] ?? name)
}

/**
 * The newest summaries. Together they take at most a quarter of the prompt, at three characters per token. Older ones
 * are left out, just as newer summaries do not repeat them.
 */
function earlierSections(summaries: readonly string[], maxTokens: number): readonly Section[] {
  const limit = Math.max(100, Math.min(4000, Math.floor(maxTokens / 4)))
  return summaries.slice(-3).map((summary) => ({
    label: 'an earlier summary, which stays',
    text: withoutTags(cutMiddle(summary, limit)),
  }))
}
