import { type Compaction, type CompactionAct, isJsonObject } from '@mutsumi/schema'

/** The compactions that are active when cell `current` is built: made before it and not undone. */
export function activeCompactions(acts: readonly CompactionAct[], current: number): readonly Compaction[] {
  const active: Compaction[] = []
  for (const act of acts) {
    if (isCompaction(act)) active.push(act)
    else if (isJsonObject(act) && typeof act.undo === 'string') remove(active, act.undo)
  }
  return active.filter(({ upTo }) => upTo <= current)
}

/**
 * The undos that revert a compaction, newest first. Later compactions are undone too, because they hide the same
 * rounds without summarising them. Empty if the compaction is not active.
 */
export function undoOf(acts: readonly CompactionAct[], id: string): readonly { readonly undo: string }[] {
  const active = activeCompactions(acts, Number.POSITIVE_INFINITY)
  const index = active.findLastIndex((compaction) => compaction.id === id)
  if (index === -1) return []
  return active
    .slice(index)
    .reverse()
    .map((compaction) => ({ undo: compaction.id }))
}

function remove(active: Compaction[], id: string): void {
  const index = active.findLastIndex((compaction) => compaction.id === id)
  if (index !== -1) active.splice(index, 1)
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
