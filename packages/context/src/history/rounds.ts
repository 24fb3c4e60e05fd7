import type { AgentMessage, SessionCell } from '@mutsumi/schema'
import { messagesIn, roleOf } from './cell-messages.js'

/** From one user's message to the end of the answer to it: the unit that is kept or left out, never parted. */
export interface Round {
  /** The cells it is made of: from `start` up to and without `end`. */
  readonly start: number
  readonly end: number
  /** What the user wrote; empty where a history begins without a user. */
  readonly prompt: string
  /** When the user wrote it, ISO 8601, where the cell says so. */
  readonly startedAt?: string
  /** What was said and done in answer, in order. */
  readonly steps: readonly AgentMessage[]
}

/** Divides a history into rounds: every user's message begins one. */
export function roundsOf(cells: readonly SessionCell[]): readonly Round[] {
  const rounds: { start: number; end: number; prompt: string; startedAt?: string; steps: AgentMessage[] }[] =
    []
  cells.forEach((cell, index) => {
    const role = roleOf(cell)
    const last = rounds.at(-1)
    if (role === 'user' || !last)
      rounds.push({
        start: index,
        end: index + 1,
        prompt: role === 'user' ? cell.content : '',
        ...(typeof cell.metadata?.at === 'string' && { startedAt: cell.metadata.at }),
        steps: [],
      })
    else last.end = index + 1
    const steps = rounds.at(-1)?.steps ?? []
    if (role !== 'user' && cell.content.trim() !== '') steps.push({ role, content: cell.content })
    for (const step of messagesIn(cell.metadata?.mutsumi_interaction)) steps.push(step)
  })
  return rounds
}
