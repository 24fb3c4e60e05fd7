import type { AgentEvent } from '@mutsumi/schema'
import { type Line, type Span, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'
import { type CardOptions, cardOf, finishedCard, type ToolCard } from './tool-card.js'

/** A sub-agent as people see it: its task, its calls and its report. */
export interface SubAgentCard {
  readonly task: string
  /** The time of its start, in milliseconds of some clock. */
  readonly since: number
  readonly until?: number
  readonly running: readonly ToolCard[]
  /** Its finished calls, one line each. */
  readonly done: readonly { readonly card: ToolCard; readonly end: ToolEnd }[]
  readonly report: string
  readonly isFailed: boolean
}

type ToolEnd = Extract<AgentEvent, { type: 'tool-end' }>

export function subAgentCard(task: string, now: number): SubAgentCard {
  return { task, since: now, running: [], done: [], report: '', isFailed: false }
}

/** The card after one more event of its agent. */
export function heard(card: SubAgentCard, event: AgentEvent, now: number): SubAgentCard {
  switch (event.type) {
    case 'tool-start':
      return { ...card, running: [...card.running, cardOf(event.call, now)] }
    case 'tool-end': {
      const call = card.running.find(({ id }) => id === event.call)
      if (!call) return card
      const running = card.running.filter(({ id }) => id !== event.call)
      return { ...card, running, done: [...card.done, { card: call, end: event }] }
    }
    case 'round-end':
      return {
        ...card,
        until: now,
        report: event.answer ?? event.message ?? '',
        isFailed: event.status !== 'done',
      }
    default:
      return card
  }
}

/** One line: the time, the number of calls, and the newest call while the sub-agent runs. */
export function subAgentLine(card: SubAgentCard, { width, words, now }: CardOptions & { now: number }): Line {
  const { task, since, until, running, done } = card
  const seconds = Math.floor(((until ?? now) - since) / 1000)
  const newest = running.at(-1) ?? done.at(-1)?.card
  const last = newest && until === undefined ? `${newest.name} ${newest.argument}` : ''
  const about = words.work.subAgent(done.length + running.length, visibleLine(last))
  return truncate(
    [
      markOf(card),
      span(visibleLine(task)),
      span(`  ${about}${seconds > 0 ? ` ${words.work.running(seconds)}` : ''}`, { dim: true }),
    ],
    width,
  )
}

function markOf({ until, isFailed }: SubAgentCard): Span {
  if (until === undefined) return span('  ◌ ', { color: 'cyan' })
  return isFailed ? span('  ✗ ', { color: 'red' }) : span('  ● ', { color: 'green' })
}

/** Every call, then the report. */
export function subAgentDetails({ task, done, report }: SubAgentCard, options: CardOptions): Line[] {
  return [
    [span(visibleLine(task), { bold: true })],
    ...done.map(({ card, end }): Line => [span('  '), ...finishedCard(card, end, options)]),
    ...visibleLines(report).map((line): Line => [span(`  ${line}`)]),
  ]
}

/** The names of a Task's sub-agents. */
export function tasksOf(args: Readonly<Record<string, unknown>>): readonly string[] {
  const more = Array.isArray(args.more) ? args.more : []
  return [args, ...more].flatMap((task: unknown) =>
    typeof task === 'object' && task !== null && 'description' in task && typeof task.description === 'string'
      ? [task.description.trim()]
      : [],
  )
}
