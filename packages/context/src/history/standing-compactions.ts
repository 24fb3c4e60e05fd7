import { type Compaction, type CompactionAct, isJsonObject } from '@mutsumi/schema'

/** The compactions that stand when cell `current` is built: not taken back, and made before it. */
export function standingCompactions(acts: readonly CompactionAct[], current: number): readonly Compaction[] {
  const standing: Compaction[] = []
  for (const act of acts) {
    if (isCompaction(act)) standing.push(act)
    else if (isJsonObject(act) && typeof act.undo === 'string') remove(standing, act.undo)
  }
  return standing.filter(({ upTo }) => upTo <= current)
}

/**
 * What takes a compaction back, newest first: with it the later ones go, which hide what it hid and tell nothing of
 * it. Empty where it does not stand.
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

/** Sessions are edited by hand and written by newer versions: what is no compaction here is passed over. */
export function isCompaction(act: unknown): act is Compaction {
  return (
    isJsonObject(act) &&
    typeof act.id === 'string' &&
    isCount(act.cells) &&
    isCount(act.upTo) &&
    act.cells <= act.upTo &&
    (act.compression === 'normal' || act.compression === 'strong' || act.compression === 'clipped') &&
    (act.summary === undefined || typeof act.summary === 'string') &&
    (act.clip === undefined || isCount(act.clip))
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
