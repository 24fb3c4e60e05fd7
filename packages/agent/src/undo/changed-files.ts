import type { FileChange } from '@mutsumi/schema'
import { diffFiles, type FileDiff } from '@mutsumi/tools/parts'
import { bytesOf, whyLost } from './file-versions.js'
import { changesOf, newestRounds } from './plan-undo.js'
import type { UndoPlace } from './undo-rounds.js'

/** A file that the agent changed. `diff` is the change from its old to its current content. */
export interface ChangedSince extends FileDiff {
  readonly path: string
  readonly effect: 'create' | 'change' | 'delete'
  /** Somebody else changed it since, so the diff shows that too. */
  readonly edited: boolean
  /** Why there is no diff. */
  readonly reason?: string
}

/** The changes of the view's rounds, from a round on; 1 is the first. */
export async function changedSince(
  place: UndoPlace,
  { round = 1, length }: { readonly round?: number; readonly length?: number } = {},
): Promise<readonly ChangedSince[]> {
  const { session, facts } = place.session
  const rounds = newestRounds(session.cells, Number.POSITIVE_INFINITY).filter(({ number }) => number >= round)
  const changes = [...changesOf(facts, rounds)]
  const files = await Promise.all(changes.map(([path, each]) => changedFile(place, path, each, length)))
  return files.flat().toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

async function changedFile(
  place: UndoPlace,
  path: string,
  changes: readonly FileChange[],
  length: number | undefined,
): Promise<readonly ChangedSince[]> {
  const { before = null } = changes[0] ?? {}
  const { after = null } = changes.at(-1) ?? {}
  const now = place.files.look(path)
  if (now.kind === 'refused')
    return [{ path, ...noDiff, effect: 'change', edited: false, reason: now.reason }]
  const current = now.kind === 'loaded' ? now : undefined
  if (current?.hash === before?.hash && current?.mode === before?.mode) return []
  const bytes = before === null ? undefined : bytesOf(place, before)
  const effect = current === undefined ? 'delete' : before === null ? 'create' : 'change'
  const edited = current?.hash !== after?.hash
  if (before !== null && bytes === undefined)
    return [{ path, ...noDiff, effect, edited, reason: whyLost(before) }]
  const sides = { before: bytes, after: current?.bytes }
  const diff = await diffFiles(path, sides, length === undefined ? {} : { length })
  return [{ path, ...diff, effect, edited }]
}

const noDiff: FileDiff = { added: 0, removed: 0, diff: '' }
