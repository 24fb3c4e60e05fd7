import type { CompactionPlan, ContextSettings, NothingToCompact } from '@mutsumi/context'
import { describeLoss, type LossReport } from '@mutsumi/context/parts'
import { whyNothing } from '@mutsumi/host'
import { type Compaction, safeLine, type Warning } from '@mutsumi/schema'
import { amount, count } from '../terminal/amounts.js'
import { say, sayRefusal, sayWord } from '../words/say.js'
import { drawRows, row } from './draw-report.js'

/** The result or the plan of a compaction. */
export interface CompactOutcome {
  /** How many rounds are shown before it. */
  readonly rounds: number
  readonly plan: CompactionPlan | NothingToCompact
  readonly loss: LossReport
  /** Absent in a preview, or if there was nothing to do. */
  readonly compaction?: Compaction
  readonly tokens: CompactTokens
  readonly warnings: readonly Warning[]
}

export interface CompactTokens {
  readonly before: number
  readonly after: number
  readonly window: number
  readonly threshold: number
}

export interface DrawCompactionOptions {
  /** The name that the user gave. */
  readonly file: string
  readonly settings: ContextSettings
}

/** Draws a compaction: the rounds, the size before and after, the rungs that were needed, and what leaves. */
export function drawCompaction(outcome: CompactOutcome, options: DrawCompactionOptions): string {
  const { plan } = outcome
  if (plan.kind === 'nothing') return drawNothing(outcome, options)
  const sections = [
    `${safeLine(options.file)}\n${roundsText(plan)}`,
    drawSizes(outcome.tokens),
    ...drawLadder(plan),
    describeLoss(outcome.loss).map(sayRefusal).join('\n'),
    drawEnd(outcome, options),
  ]
  return sections.join('\n\n')
}

function drawNothing({ rounds, tokens }: CompactOutcome, { file, settings }: DrawCompactionOptions): string {
  const { before, window, threshold } = tokens
  const share = ((100 * before) / window).toFixed(1)
  return [
    safeLine(file),
    say`Nothing to compact: ${nothingText(rounds, settings)}.`,
    say`The next request takes about ${amount(before)} of ${amount(window)} tokens (${share} %); compaction begins at ${amount(threshold)}.`,
  ].join('\n')
}

function nothingText(rounds: number, settings: ContextSettings): string {
  const { retainRounds, retainTokens } = settings
  const some = count(rounds, 'round')
  const shown = rounds === 1 ? say`${some} is shown` : say`${some} are shown`
  const why = whyNothing(rounds, settings)
  switch (why) {
    case 'all-tokens-stay':
      return say`${shown}, and the newest up to ${amount(retainTokens)} tokens stay (--keep), or a summary would not be shorter`
    case 'all-rounds-stay':
      return say`${shown}, and the newest ${amount(retainRounds)} stay; --keep 2 keeps only two`
    case 'not-shorter':
      return say`a summary would not be shorter than the rounds that could leave`
    default:
      return why satisfies never
  }
}

function roundsText({ leaving, staying }: CompactionPlan): string {
  const some = count(leaving, 'round')
  const leave =
    leaving === 0 ? say`no round leaves` : leaving === 1 ? say`${some} leaves` : say`${some} leave`
  const stay = staying === 1 ? say`the newest one stays` : say`the newest ${amount(staying)} stay`
  return say`${leave} the view, ${stay}`
}

function drawSizes({ before, after }: CompactTokens): string {
  return drawRows(sayWord('request'), [row(sayWord('before'), '', before), row(sayWord('after'), '', after)])
}

function drawLadder({ ladder }: CompactionPlan): readonly string[] {
  if (ladder.length === 0) return []
  return [
    [
      say`The rounds that should stay are too large together, so:`,
      ...ladder.map((step) => `  ${sayRefusal(step)}`),
    ].join('\n'),
  ]
}

function drawEnd({ compaction }: CompactOutcome, { file }: DrawCompactionOptions): string {
  if (!compaction) return say`Nothing was changed: this is a preview.`
  const undo = `mutsumi compact --session ${safeLine(file)} --undo ${compaction.id}`
  return say`Compacted as ${compaction.id}. To undo it: ${undo}`
}
