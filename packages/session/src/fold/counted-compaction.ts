import type { CompactionAct, CompactionRecord } from '@mutsumi/schema'

/**
 * A compaction with the ids of the last cells that it counts. Cells are added and deleted, so numbers alone would mean
 * other cells.
 */
export function countedCompaction(
  compaction: CompactionAct,
  names: readonly (string | undefined)[],
): Pick<CompactionRecord, 'compaction' | 'last' | 'upToLast'> {
  if ('undo' in compaction) return { compaction }
  const last = names[compaction.cells - 1]
  const upToLast = names[compaction.upTo - 1]
  return {
    compaction,
    ...(last !== undefined && { last }),
    ...(upToLast !== undefined && { upToLast }),
  }
}
