import { type AgentMessage, safeLine } from '@mutsumi/schema'
import { lengthTokenCounter, type TokenCounter } from '../ground/ports.js'
import { countMessage } from '../ground/token-estimate.js'
import { recordsOf } from '../history/records.js'
import type { Round } from '../history/rounds.js'
import { headLine } from '../text/short-text.js'
import { times } from './summary-records.js'

/** Describes what leaves the view with some rounds. */
export interface LossReport {
  readonly rounds: number
  readonly messages: number
  /** Estimated. */
  readonly tokens: number
  /** How often each file was read and changed. */
  readonly files: readonly { readonly path: string; readonly read: number; readonly edited: number }[]
  readonly commands: readonly string[]
  /** The beginnings of the user's prompts. */
  readonly prompts: readonly string[]
  /** How many more there are than the lists contain. */
  readonly more: { readonly files: number; readonly commands: number; readonly prompts: number }
}

export interface LossReportOptions {
  readonly counter?: TokenCounter
  /** Tokens of the rounds as shown. If not given, the rounds are counted as recorded. */
  readonly tokens?: number
}

export function lossReport(
  rounds: readonly Round[],
  { counter = lengthTokenCounter, tokens }: LossReportOptions = {},
): LossReport {
  const { files, commands, prompts } = recordsOf(rounds)
  return {
    rounds: rounds.length,
    messages: rounds.reduce((sum, round) => sum + messagesOf(round).length, 0),
    tokens: tokens ?? tokensOfRounds(rounds, counter),
    files: files.entries.map(({ path, read, created, edited }) => ({ path, read, edited: created + edited })),
    commands: commands.entries.map(({ command }) => command),
    prompts: prompts.entries,
    more: { files: files.more, commands: commands.more, prompts: prompts.more },
  }
}

/** The report in lines for people. */
export function describeLoss(report: LossReport): readonly string[] {
  const { rounds, messages, tokens, files, commands, prompts, more } = report
  if (rounds === 0) return ['Nothing leaves the view.']
  // The end of each list is shown, because changed files come last and matter more than files that were only read.
  const byWeight = [
    ...files.filter(({ edited }) => edited === 0),
    ...files.filter(({ edited }) => edited > 0),
  ]
  return [
    `${count(rounds, 'round')} ${rounds === 1 ? 'leaves' : 'leave'} the view: ${count(messages, 'message')}, about ${count(tokens, 'token')}.`,
    ...listed(
      'Asked',
      prompts.map((prompt) => `"${shortened(prompt)}"`),
      more.prompts,
    ),
    ...listed('Files', byWeight.map(fileText), more.files),
    ...listed('Commands', commands.map(shortened), more.commands),
    'All of it stays in the session: undoing the compaction brings it back.',
  ]
}

/** Estimated tokens of everything in the rounds. */
export function tokensOfRounds(rounds: readonly Round[], counter: TokenCounter): number {
  let tokens = 0
  for (const round of rounds)
    for (const message of messagesOf(round)) tokens += countMessage(message, counter)
  return tokens
}

/** The messages that leave the view with a round. An older summary inside it stays. */
function messagesOf({ prompt, steps }: Round): readonly AgentMessage[] {
  const own: readonly AgentMessage[] = prompt.trim() === '' ? [] : [{ role: 'user', content: prompt }]
  return [...own, ...steps.filter(({ role }) => role !== 'system')]
}

/** How many entries of each list are shown to people. */
const shown = 10

function listed(title: string, lines: readonly string[], more: number): readonly string[] {
  if (lines.length === 0) return []
  const rest = lines.length - shown + more
  const kept = lines.slice(-shown).map((line) => `  ${line}`)
  return [`${title}:`, ...(rest > 0 ? [`  (${rest} earlier)`] : []), ...kept]
}

function fileText({ path, read, edited }: LossReport['files'][number]): string {
  const deeds = [read > 0 ? `read ${times(read)}` : '', edited > 0 ? `changed ${times(edited)}` : '']
  return `${shortened(path)}: ${deeds.filter((deed) => deed !== '').join(', ') || 'a change was interrupted'}`
}

function shortened(text: string): string {
  return safeLine(headLine(text, 120))
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
