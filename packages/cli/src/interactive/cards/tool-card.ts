import { argumentOf, isFailedExit, localLine } from '@mutsumi/host'
import type { Phrase, RecordedCall } from '@mutsumi/schema'
import { type Color, type Line, span } from '../text/span.js'
import { lineWidth, truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import type { Words } from '../words/words.js'
import { lastOutputLines } from './tool-output.js'

/** A call as people see it. */
export interface ToolCard {
  readonly id: string
  readonly name: string
  /** Its main argument, in a few words. */
  readonly argument: string
  /** The time of its start, in milliseconds of some clock. */
  readonly since: number
  readonly output: string
}

/** The end of a call. */
export interface CardEnd {
  readonly status: 'success' | 'partial' | 'error'
  /** The result in one line. */
  readonly line: string
  /** The same as data. */
  readonly phrase?: Phrase
  readonly timeMs: number
}

export interface CardOptions {
  readonly width: number
  readonly words: Words
}

export function cardOf({ id, name, args }: RecordedCall, since: number): ToolCard {
  return { id, name, argument: argumentOf(name, args), since, output: '' }
}

/** A running call: its name, its time, and the end of its output. */
export function runningCard(
  card: ToolCard,
  { width, words, now, rows }: CardOptions & { readonly now: number; readonly rows: number },
): Line[] {
  const seconds = Math.floor((now - card.since) / 1000)
  const head = [span('◌ ', { color: 'cyan' }), ...title(card)]
  const time = seconds > 0 ? [span(` ${words.work.running(seconds)}`, { dim: true })] : []
  const details = lastOutputLines(card.output, rows)
  return [
    truncate([...head, ...time], width),
    ...details.map((text) => truncate([span(`  ${text}`, { dim: true })], width)),
  ]
}

/** A finished call, in one line. */
export function finishedCard(card: ToolCard, end: CardEnd, { width, words }: CardOptions): Line {
  const line = visibleLine(localLine(end, words.language))
  const hasFailed = end.status === 'error' || (end.phrase !== undefined && isFailedExit(end.phrase))
  const { mark, color } = hasFailed && end.status !== 'error' ? failedExit : marks[end.status]
  const time = end.timeMs >= 1000 ? ` · ${(end.timeMs / 1000).toFixed(1)} s` : ''
  const head = [span(`${mark} `, { color }), ...title(card)]
  const result = [span(`  ${line}${time}`, hasFailed ? { color: 'red' } : { dim: true })]
  // The result says more than the end of a long command.
  const room = Math.max(Math.floor(width * leastTitle), width - lineWidth(result))
  return truncate([...truncate(head, room), ...result], width)
}

/** The share of a line that a title gets, if it needs so much. */
const leastTitle = 0.4

const marks: Readonly<Record<CardEnd['status'], { readonly mark: string; readonly color: Color }>> = {
  success: { mark: '●', color: 'green' },
  partial: { mark: '●', color: 'yellow' },
  error: { mark: '✗', color: 'red' },
}

/** A command that ran and failed is not a call that could not run, but nobody may take it for a success. */
const failedExit = { mark: '●', color: 'red' } as const

function title({ name, argument }: ToolCard): Line {
  return [span(visibleLine(name), { bold: true }), span(argument === '' ? '' : ` ${visibleLine(argument)}`)]
}
