import type { CompactionAct, SessionCell } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { roundCells } from '@mutsumi/session/parts'

/**
 * The cells of the newest rounds that asked the same and ended before the model said or did anything. The same prompt is
 * another try, which replaces them: else the request would have the prompt once for each try.
 */
export function failedTries(prompt: string, { session, facts }: SessionFile): readonly string[] {
  const { cells, compactions = [] } = session
  if (!isSameAsNewest(prompt, cells)) return []
  const { ends, changes } = facts
  const isFailedTry = ([cell, ...others]: readonly SessionCell[]) => {
    const id = cell?.metadata?.id
    if (id === undefined || others.length > 0 || !ends.has(id)) return false
    return !changes.some((change) => change.cell === id) && !compactions.some((each) => isAfter(each, id))
  }
  const found: string[] = []
  for (const round of roundCells(cells).toReversed()) {
    if (!isSameAsNewest(prompt, round) || !isFailedTry(round)) break
    found.unshift(round[0]?.metadata?.id ?? '')
  }
  // A compaction counts cells, so it must not cover one that leaves.
  return compactions.some((each) => 'cells' in each && each.cells > cells.length - found.length) ? [] : found
}

/** Almost every prompt differs from the one before, so this is looked at first. */
function isSameAsNewest(prompt: string, cells: readonly SessionCell[]): boolean {
  const newest = cells.at(-1)
  return newest?.content === prompt && (newest.metadata?.mutsumi_interaction ?? []).length === 0
}

/** A round that made a compaction keeps it. */
function isAfter(compaction: CompactionAct, cell: string): boolean {
  return 'within' in compaction && compaction.within === cell
}
