import {
  type AgentMessage,
  digestOf,
  isJsonObject,
  isNoteCell,
  isRole,
  type Role,
  type SessionCell,
} from '@mutsumi/schema'
import notCarriedOut from '../prompts/not-carried-out.md'
import { withoutTags } from '../text/without-tags.js'
import type { AddedCell } from './history-view.js'
import { type MacroValue, remindersOf } from './reminder.js'

/** Summaries are stored under a role of their own and sent as system messages. */
export function roleOf(cell: SessionCell): Role {
  const { role } = digestOf(cell) ?? cell.metadata ?? {}
  if (role === 'summary') return 'system'
  return isRole(role) ? role : 'user'
}

/**
 * A cell's own text as it is sent. In system messages our tags are escaped, because a model may have written the text.
 */
export function sentText(cell: SessionCell): string {
  return sentAs(roleOf(cell), cell)
}

function sentAs(role: Role, cell: SessionCell, macroValue?: MacroValue): string {
  switch (role) {
    case 'user':
      return cell.content + remindersOf(cell, macroValue)
    case 'system':
      return withoutTags(cell.content)
    case 'assistant':
    case 'tool':
      return cell.content
  }
}

/**
 * The steps of a cell. A notebook's metadata may have been edited by hand, and providers write `content: null`, so
 * invalid messages are not sent. A reply that could not be understood may contain a complete action; a note says that
 * it was not run.
 */
export function messagesIn(interaction: readonly AgentMessage[] | undefined): readonly AgentMessage[] {
  if (!Array.isArray(interaction)) return []
  const steps = interaction.every(isMessage) ? interaction : interaction.flatMap(mendedMessage)
  return steps.some(isMalformed) ? steps.map((step) => (isMalformed(step) ? withNote(step) : step)) : steps
}

function isMalformed({ metadata }: AgentMessage): boolean {
  return metadata?.not_run === 'malformed'
}

const noted = new WeakMap<AgentMessage, AgentMessage>()

/** Returns the same object each time, so that a growing history is not written again. */
function withNote(step: AgentMessage): AgentMessage {
  const before = noted.get(step)
  if (before !== undefined || typeof step.content !== 'string') return before ?? step
  const made = Object.freeze({ ...step, content: `${step.content.trimEnd()}\n\n${notCarriedOut.trim()}` })
  noted.set(step, made)
  return made
}

function isMessage(step: unknown): step is AgentMessage {
  return (
    isJsonObject(step) && isRole(step.role) && (typeof step.content === 'string' || isParts(step.content))
  )
}

function isParts(content: unknown): boolean {
  return (
    Array.isArray(content) && content.every((part) => isJsonObject(part) && typeof part.type === 'string')
  )
}

function mendedMessage(step: unknown): readonly AgentMessage[] {
  if (isMessage(step)) return [step]
  if (!isJsonObject(step) || !isRole(step.role)) return []
  const hasNone = step.content === null || step.content === undefined
  return hasNone ? [{ ...step, role: step.role, content: '' }] : []
}

/**
 * The messages that a cell adds to a history: its own text, if it is not blank, and the steps that answered it. `macroValue`:
 * the macros after the cell.
 */
export function addedCell(cell: SessionCell, macroValue?: MacroValue): AddedCell {
  return withSteps(cell, cell.metadata?.mutsumi_interaction, macroValue)
}

/** The same for a cell that is left out: its results may be long and are not read. */
export function addedWithoutResults(cell: SessionCell): AddedCell {
  const interaction = cell.metadata?.mutsumi_interaction
  const isResult = (step: unknown) => isJsonObject(step) && step.role === 'tool'
  return withSteps(
    cell,
    Array.isArray(interaction) ? interaction.filter((step) => !isResult(step)) : interaction,
  )
}

function withSteps(
  cell: SessionCell,
  interaction: readonly AgentMessage[] | undefined,
  macroValue?: MacroValue,
): AddedCell {
  const role = roleOf(cell)
  const saysNothing = cell.content.trim() === '' || isNoteCell(cell)
  const own = saysNothing ? undefined : Object.freeze({ role, content: sentAs(role, cell, macroValue) })
  return {
    role: cell.metadata?.role === 'summary' ? 'summary' : role,
    own,
    steps: messagesIn(interaction),
    shortened: recordedShortened(cell),
  }
}

/** The number of short messages in the requests of a cell. It is checked, because sessions are edited by hand. */
export function recordedShortened({ metadata }: SessionCell): number | undefined {
  const count: unknown = metadata?.shortened
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined
}
