import type { AgentMessage, EndRecord, RecordedCall } from '@mutsumi/schema'
import { sessionTitle } from '@mutsumi/session'
import type { SessionFile } from '@mutsumi/session/node'
import { roundCells } from '@mutsumi/session/parts'
import { answerText } from './answer-text.js'
import { callsNotRun } from './calls-not-run.js'
import { roundNumbers } from './round-numbers.js'

/** The state of a session, for somebody who returns to it. */
export interface SessionState {
  readonly session: string
  readonly id: string
  readonly title?: string
  readonly rounds: number
  readonly lastAt: string
  readonly question?: string
  /** Absent if the last round has none. */
  readonly answer?: string
  /** The end of the last round, if it has no complete answer. */
  readonly end?: Pick<EndRecord, 'status' | 'message'>
  /** Calls that were about to run when their program ended. They are never run again. */
  readonly interrupted: readonly InterruptedCall[]
}

export interface InterruptedCall extends RecordedCall {
  /** It is known that it did not run. */
  readonly notRun?: true
  readonly round?: number
  readonly at: string
}

export function sessionState({ path, header, session, facts }: SessionFile): SessionState {
  const rounds = roundCells(session.cells)
  const last = rounds.at(-1) ?? []
  const title = sessionTitle(session)
  const question = last[0]?.content
  const said = last.flatMap(({ metadata }) => metadata?.mutsumi_interaction ?? [])
  const answer = answerIn(said)
  const isWhole = answer !== undefined && said.at(-1)?.metadata?.not_run === undefined
  const end = facts.ends.get(last.at(-1)?.metadata?.id ?? '')
  const numbers = roundNumbers(session.cells)
  const notRun = callsNotRun(facts)
  return {
    session: path,
    id: header.id,
    ...(title === undefined ? {} : { title }),
    rounds: rounds.length,
    lastAt: facts.lastAt,
    ...(question === undefined ? {} : { question }),
    ...(answer === undefined ? {} : { answer }),
    ...(end && !isWhole ? { end: { status: end.status, message: end.message } } : {}),
    interrupted: facts.unanswered.map(({ cell, at, call }) => {
      const round = numbers.get(cell)
      const effect = notRun.has(call.id) && { notRun: true as const }
      return { ...call, at, ...effect, ...(round === undefined ? {} : { round }) }
    }),
  }
}

/** The last words, unless the model was about to call a tool. */
function answerIn(messages: readonly AgentMessage[]): string | undefined {
  const last = messages.at(-1)
  const calls = last?.metadata?.calls
  if (last?.role !== 'assistant' || (Array.isArray(calls) && calls.length > 0)) return undefined
  return answerText(last)
}
