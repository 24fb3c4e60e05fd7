import type { ShownResult } from '@mutsumi/host'
import type { RecordedRound, RecordedRounds } from '../agent/recorded-rounds.js'
import { type Line, span } from '../text/span.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { type Folded, RoundView, type RoundViewOptions } from './round-view.js'
import { userMessage } from './user-message.js'

export interface HistoryOptions {
  readonly words: Words
  readonly renderer: RoundViewOptions['renderer']
  readonly model: string
  readonly width: number
  readonly resultOf: (call: string) => ShownResult | undefined
  readonly print: (lines: readonly Line[]) => void
}

/** Rounds of a session that are shown when it is opened. */
export const shownRounds = 3
/** More of a message was typed by no hand. */
const shownPromptLines = 12

/** Prints rounds that a session has already, as they were printed when they ran. Answers with what can be opened. */
export async function printHistory(
  { before, rounds }: RecordedRounds,
  options: HistoryOptions,
): Promise<Folded | undefined> {
  const { words, width, print } = options
  if (before > 0) print(wrap([span(words.sessions.before(before), { dim: true })], width))
  let folded: Folded | undefined
  for (const round of rounds) folded = (await printRound(round, options)) ?? folded
  if (rounds.length > 0) print([[]])
  return folded
}

async function printRound(
  { prompt, events }: RecordedRound,
  options: HistoryOptions,
): Promise<Folded | undefined> {
  const { words, renderer, model, width, resultOf, print } = options
  const view = new RoundView({ words, renderer, model, resultOf, wasAsked: () => false, now: () => 0 })
  print(userMessage(shortened(prompt, words), width))
  for (const event of events) {
    await view.prepare(event)
    print(view.hear(event, width))
    if (event.type === 'steer') print(userMessage(event.text, width))
  }
  return view.folded
}

function shortened(prompt: string, { sessions }: Words): string {
  const lines = prompt.trimEnd().split('\n')
  if (lines.length <= shownPromptLines + 1) return lines.join('\n')
  return [...lines.slice(0, shownPromptLines), sessions.moreLines(lines.length - shownPromptLines)].join('\n')
}
