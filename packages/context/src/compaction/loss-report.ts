import { type AgentMessage, safeLine } from '@mutsumi/schema'
import { lengthTokenCounter, type TokenCounter } from '../ground/ports.js'
import { countMessage } from '../ground/token-estimate.js'
import { recordsOf } from '../history/records.js'
import type { Round } from '../history/rounds.js'
import { headLine } from '../text/short-text.js'
import { type CompactionCode, compactionText, numberOf, timesOf } from './compaction-words.js'

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
  if (rounds === 0) return [compactionText('loss-nothing')]
  // The end of each list is shown, because changed files come last and matter more than files that were only read.
  const byWeight = [
    ...files.filter(({ edited }) => edited === 0),
    ...files.filter(({ edited }) => edited > 0),
  ]
  return [
    compactionText(
      rounds === 1 ? 'loss-round' : 'loss-rounds',
      numberOf(rounds, 'round'),
      numberOf(messages, 'message'),
      numberOf(tokens, 'token'),
    ),
    ...listed(
      'loss-asked',
      prompts.map((prompt) => `  "${shortened(prompt)}"`),
      more.prompts,
    ),
    ...listed('loss-files', byWeight.map(fileText), more.files),
    ...listed(
      'loss-commands',
      commands.map((command) => `  ${shortened(command)}`),
      more.commands,
    ),
    compactionText('loss-kept'),
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

function listed(title: CompactionCode, lines: readonly string[], more: number): readonly string[] {
  if (lines.length === 0) return []
  const rest = lines.length - shown + more
  const kept = lines.slice(-shown)
  return [compactionText(title), ...(rest > 0 ? [compactionText('loss-earlier', rest)] : []), ...kept]
}

function fileText({ path, read, edited }: LossReport['files'][number]): string {
  const name = shortened(path)
  if (read > 0 && edited > 0) return compactionText('file-read-changed', name, timesOf(read), timesOf(edited))
  if (read > 0) return compactionText('file-read', name, timesOf(read))
  if (edited > 0) return compactionText('file-changed', name, timesOf(edited))
  return compactionText('file-interrupted', name)
}

function shortened(text: string): string {
  return safeLine(headLine(text, 120))
}
