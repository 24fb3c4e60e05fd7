import { type AgentMessage, isNoteCell, type SessionCell } from '@mutsumi/schema'
import { messagesIn, roleOf } from './cell-messages.js'

/** From one user message to the end of its answer. It is kept or left out as a whole. */
export interface Round {
  /** Its cells: from `start` up to, but not including, `end`. */
  readonly start: number
  readonly end: number
  /** The user's text; empty if the history begins without one. */
  readonly prompt: string
  /** When the user wrote it, ISO 8601, if the cell records it. */
  readonly startedAt?: string
  /** The steps that answered it, in order. */
  readonly steps: readonly AgentMessage[]
}

/** Every user message begins a round; a history may begin in the middle of one. */
export function beginsRound(cells: readonly SessionCell[], index: number): boolean {
  const cell = cells[index]
  return cell !== undefined && (index === 0 || roleOf(cell) === 'user')
}

/** Divides a history into rounds, from the cell `first` on, which begins one. */
export function roundsOf(cells: readonly SessionCell[], first = 0): readonly Round[] {
  const rounds: { start: number; end: number; prompt: string; startedAt?: string; steps: AgentMessage[] }[] =
    []
  cells.slice(first).forEach((cell, place) => {
    const index = first + place
    const role = roleOf(cell)
    const last = rounds.at(-1)
    if (role === 'user' || !last)
      rounds.push({
        start: index,
        end: index + 1,
        prompt: role === 'user' && !isNoteCell(cell) ? cell.content : '',
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
