import type { ChangeRecord, FileChange, SessionCell, SessionRecord, UndoRecord } from '@mutsumi/schema'
import { roundCells } from '@mutsumi/session/parts'

/** A round as a preview names it. */
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

/** What some rounds changed, by path: the changes to each file, the oldest first. */
export function changesOf(
  changes: readonly ChangeRecord[],
  rounds: readonly RoundName[],
): ReadonlyMap<string, readonly FileChange[]> {
  const cells = new Set(rounds.flatMap((round) => round.cells))
  const byPath = new Map<string, FileChange[]>()
  for (const { cell, files } of changes) {
    if (!cells.has(cell)) continue
    for (const file of files) {
      const known = byPath.get(file.path)
      if (known) known.push(file)
      else byPath.set(file.path, [file])
    }
  }
  return byPath
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

/** What takes back an undo of these files: the same, the other way round. */
export function reversed(files: readonly FileChange[]): ReadonlyMap<string, readonly FileChange[]> {
  return new Map(files.map((file) => [file.path, [file]]))
}
