import { resultWords } from '@mutsumi/agent'
import { parseReply } from '@mutsumi/react-text'
import {
  type AgentEvent,
  type AgentMessage,
  answeredCall,
  callsOf,
  isJsonObject,
  type RoundStatus,
  type SessionCell,
  stepOf,
  type ToolResult,
  textOf,
  toolNameOf,
} from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { callsNotRun } from '../../sessions/calls-not-run.js'

/** A recorded round: its prompt, and the rest as events. */
export interface RecordedRound {
  readonly prompt: string
  readonly events: readonly AgentEvent[]
  /** Its process ended before the round did. */
  readonly isInterrupted: boolean
  /** Calls that its process had asked about, or was about to run, and that did not run. */
  readonly notRun: ReadonlySet<string>
}

export interface RecordedRounds {
  /** The number of rounds before these. */
  readonly before: number
  readonly rounds: readonly RecordedRound[]
}

/** The last rounds of a session. For earlier cells it looks only at their role, so it is fast. */
export function lastRounds(
  { session: { cells }, facts }: Pick<SessionFile, 'session' | 'facts'>,
  count: number,
): RecordedRounds {
  const starts = cells.flatMap((cell, index) => (isUsers(cell) ? [index] : []))
  const shown = starts.slice(-count)
  const notRun = callsNotRun(facts)
  const rounds = shown.map((start, index) => {
    const own = cells.slice(start, shown[index + 1] ?? cells.length)
    const end = facts.ends.get(own.at(-1)?.metadata?.id ?? '')
    const isInterrupted = end?.status === 'interrupted'
    const events = [...eventsOf(own), ...(isInterrupted ? [] : endOf(end))]
    return { prompt: own[0]?.content ?? '', events, isInterrupted, notRun: isInterrupted ? notRun : none }
  })
  return { before: starts.length - shown.length, rounds }
}

const none: ReadonlySet<string> = new Set()

export function isUsers({ metadata }: SessionCell): boolean {
  return (metadata?.role ?? 'user') === 'user'
}

function eventsOf(cells: readonly SessionCell[]): readonly AgentEvent[] {
  const messages = cells.flatMap(({ metadata }) => metadata?.mutsumi_interaction ?? [])
  return messages.flatMap((message) => messageEvents(message))
}

function messageEvents(message: AgentMessage): readonly AgentEvent[] {
  const step = stepOf(message) ?? 1
  switch (message.role) {
    case 'assistant':
      return [
        ...wordEvents(message),
        ...callsOf(message).map((call): AgentEvent => ({ type: 'tool-start', step, call })),
      ]
    case 'tool':
      return [toolEnd(message, step)]
    case 'user':
      return message.metadata?.steered === true ? [{ type: 'steer', step, text: textOf(message) }] : []
    case 'system':
      return []
    default:
      return message.role satisfies never
  }
}

/** The events that showed a message while it came in. */
function wordEvents(message: AgentMessage): readonly AgentEvent[] {
  const said = textOf(message)
  if (said.trim() === '') return []
  if (message.metadata?.protocol !== 'native') return reactWords(said)
  const before: AgentEvent = { type: 'answer-reset', reason: '', as: 'thought' }
  return [{ type: 'answer', text: said }, ...(callsOf(message).length > 0 ? [before] : [])]
}

function reactWords(said: string): readonly AgentEvent[] {
  const reply = parseReply(said)
  const thought = 'thought' in reply ? reply.thought : ''
  const answer = reply.kind === 'finish' ? reply.answer : reply.kind === 'answer' ? reply.text : ''
  return [
    ...(thought === '' ? [] : [{ type: 'thought' as const, text: thought }]),
    ...(answer === '' ? [] : [{ type: 'answer' as const, text: answer }]),
  ]
}

function toolEnd(message: AgentMessage, step: number): AgentEvent {
  const name = toolNameOf(message)
  const result = resultIn(textOf(message))
  const words = result ? resultWords(name, result) : { line: '' }
  const status = result?.status ?? 'success'
  return { type: 'tool-end', step, call: answeredCall(message) ?? '', name, status, ...words, timeMs: 0 }
}

/** A result as the session stores it; undefined if another program wrote it. */
function resultIn(content: string): ToolResult | undefined {
  try {
    const parsed: unknown = JSON.parse(content)
    if (!isJsonObject(parsed) || typeof parsed.status !== 'string') return undefined
    // The session stores a result without the parts that are not needed later.
    return { text: '', data: {}, error: { code: '', message: '' }, ...parsed } as unknown as ToolResult
  } catch {
    // Results of other programs need not be JSON.
    return undefined
  }
}

function endOf(
  end: { readonly status: string; readonly message: string } | undefined,
): readonly AgentEvent[] {
  if (!end) return [{ type: 'round-end', status: 'done' }]
  const status: RoundStatus = end.status === 'denied' || end.status === 'cancelled' ? end.status : 'failed'
  return [{ type: 'round-end', status, message: end.message }]
}
