import type { ShownResult } from '@mutsumi/host'
import { shownPrompt } from '../agent/init-prompt.js'
import type { RecordedRound, RecordedRounds } from '../agent/recorded-rounds.js'
import { type Line, span } from '../text/span.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { RoundView, type RoundViewOptions } from './round-view.js'
import { userMessage } from './user-message.js'

export interface HistoryOptions {
  readonly words: Words
  readonly renderer: RoundViewOptions['renderer']
  readonly model: string
  readonly width: number
  readonly resultOf: (call: string) => ShownResult | undefined
  readonly print: (lines: readonly Line[]) => void
  readonly fold?: RoundViewOptions['fold']
}

/** The number of rounds that are shown when a session is opened. */
export const shownRounds = 3
/** Nobody types more lines, so the rest of a long message is not shown. */
const shownPromptLines = 12

/** Prints the recorded rounds of a session as they were printed when they ran. */
export async function printHistory(
  { before, rounds }: RecordedRounds,
  options: HistoryOptions,
): Promise<void> {
  const { words, width, print } = options
  if (before > 0) print(wrap([span(words.sessions.before(before), { dim: true })], width))
  for (const round of rounds) await printRound(round, options)
  if (rounds.length > 0) print([[]])
}

async function printRound(
  { prompt, events, isInterrupted, notRun }: RecordedRound,
  options: HistoryOptions,
): Promise<void> {
  const { words, renderer, model, width, resultOf, print, fold } = options
  const view = new RoundView({ words, renderer, model, resultOf, fold, wasAsked: () => false, now: () => 0 })
  print(userMessage(shortened(shownPrompt(prompt, words), words), width))
  for (const event of events) {
    await view.prepare(event)
    print(view.hear(event, width))
    if (event.type === 'steer') print(userMessage(event.text, width))
  }
  if (isInterrupted) print(view.interrupted(width, notRun))
}

function shortened(prompt: string, { sessions }: Words): string {
  const lines = prompt.trimEnd().split('\n')
  if (lines.length <= shownPromptLines + 1) return lines.join('\n')
  return [...lines.slice(0, shownPromptLines), sessions.moreLines(lines.length - shownPromptLines)].join('\n')
}
