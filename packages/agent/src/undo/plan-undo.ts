import {
  callsOf,
  type FileChange,
  type SessionCell,
  type SessionRecord,
  type UndoRecord,
} from '@mutsumi/schema'
import type { SessionFacts } from '@mutsumi/session'
import { roundCells } from '@mutsumi/session/parts'

/** A round in a preview. */
export interface RoundName {
  /** From 1, as the view counts them. */
  readonly number: number
  readonly prompt: string
  readonly cells: readonly string[]
}

/** The newest rounds of a view, the oldest of them first. */
export function newestRounds(cells: readonly SessionCell[], count: number): readonly RoundName[] {
  const rounds = roundCells(cells).map((round, index) => ({
    number: index + 1,
    prompt: round[0]?.content ?? '',
    cells: round.flatMap(({ metadata }) => metadata?.id ?? []),
  }))
  return count > 0 ? rounds.slice(-count) : []
}

/** The recorded facts about changes. */
export type ChangeFacts = Pick<SessionFacts, 'changes' | 'unanswered'>

/**
 * The changes of some rounds, by path, the oldest first. The files recorded before a command count only if the command
 * was interrupted: then the command may have changed a file that is different now.
 */
export function changesOf(
  { changes, unanswered }: ChangeFacts,
  rounds: readonly RoundName[],
): ReadonlyMap<string, readonly FileChange[]> {
  const cells = new Set(rounds.flatMap((round) => round.cells))
  const interrupted = new Set(unanswered.map(({ cell }) => cell))
  const byPath = new Map<string, FileChange[]>()
  for (const { cell, begun, files } of changes) {
    if (!cells.has(cell) || (begun && !interrupted.has(cell))) continue
    for (const file of files) {
      const known = byPath.get(file.path)
      if (known) known.push(file)
      else byPath.set(file.path, [file])
    }
  }
  return byPath
}

/** Effects of rounds that are not known: commands may change more than we check, and so may tools of servers. */
export interface UnknownEffects {
  /** Commands ran that may have changed ignored files, or files elsewhere. */
  readonly commands: number
  /** The reason why the changes of some commands were not watched. */
  readonly unseen?: string
  /** The number of calls of tools whose changes are unknown, by tool. */
  readonly tools: ReadonlyMap<string, number>
}

export function unknownEffects(
  { changes }: ChangeFacts,
  cells: readonly SessionCell[],
  { isReadOnly }: { readonly isReadOnly: (command: string) => boolean },
): UnknownEffects {
  const ids = new Set(cells.map(({ metadata }) => metadata?.id))
  const calls = cells.flatMap(({ metadata }) => (metadata?.mutsumi_interaction ?? []).flatMap(callsOf))
  const tools = new Map<string, number>()
  for (const { name } of calls) if (name.startsWith('mcp__')) tools.set(name, (tools.get(name) ?? 0) + 1)
  const commands = calls.filter(
    ({ name, args }) => name === 'Bash' && !isReadOnly(String(args.command)),
  ).length
  const unseen = changes.find((change) => ids.has(change.cell) && change.unseen !== undefined)?.unseen
  return { commands, tools, ...(unseen !== undefined && { unseen }) }
}

/** The newest undo, unless something was asked since. */
export function undoToTakeBack(
  records: readonly SessionRecord[],
  { undone, cells }: { readonly undone: readonly UndoRecord[]; readonly cells: readonly SessionCell[] },
): UndoRecord | undefined {
  const undo = undone.at(-1)
  if (!undo) return undefined
  const shown = new Set(cells.map(({ metadata }) => metadata?.id))
  const at = records.findIndex(({ id }) => id === undo.id)
  const isAskedSince = records.slice(at).some(({ type, id }) => type === 'cell' && shown.has(id))
  return isAskedSince ? undefined : undo
}

/** The changes that revert an undo of these files. */
export function reversed(files: readonly FileChange[]): ReadonlyMap<string, readonly FileChange[]> {
  return new Map(files.map((file) => [file.path, [file]]))
}
