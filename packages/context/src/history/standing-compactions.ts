import { type Compaction, type CompactionAct, isJsonObject } from '@mutsumi/schema'

/** The compactions that are active when cell `current` is built: made before it and not undone. */
export function standingCompactions(acts: readonly CompactionAct[], current: number): readonly Compaction[] {
  const standing: Compaction[] = []
  for (const act of acts) {
    if (isCompaction(act)) standing.push(act)
    else if (isJsonObject(act) && typeof act.undo === 'string') remove(standing, act.undo)
  }
  return standing.filter(({ upTo }) => upTo <= current)
}

/**
 * The undos that revert a compaction, newest first. Later compactions are undone too, because they hide the same
 * rounds without summarising them. Empty if the compaction is not active.
 */
export function undoOf(acts: readonly CompactionAct[], id: string): readonly { readonly undo: string }[] {
  const standing = standingCompactions(acts, Number.POSITIVE_INFINITY)
  const index = standing.findLastIndex((compaction) => compaction.id === id)
  if (index === -1) return []
  return standing
    .slice(index)
    .reverse()
    .map((compaction) => ({ undo: compaction.id }))
}

function remove(standing: Compaction[], id: string): void {
  const index = standing.findLastIndex((compaction) => compaction.id === id)
  if (index !== -1) standing.splice(index, 1)
}

/** Sessions may be edited by hand or written by newer versions, so invalid compactions are skipped. */
export function isCompaction(act: unknown): act is Compaction {
  return (
    isJsonObject(act) &&
    typeof act.id === 'string' &&
    isCount(act.cells) &&
    isCount(act.upTo) &&
    act.cells <= act.upTo &&
    (act.compression === 'normal' || act.compression === 'strong' || act.compression === 'clipped') &&
    (act.summary === undefined || typeof act.summary === 'string') &&
    (act.clip === undefined || isCount(act.clip)) &&
    (act.cleaned === undefined || isCount(act.cleaned))
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
