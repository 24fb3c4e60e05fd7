import type { FileChange, FileVersion } from '@mutsumi/schema'

/** A file as it is now; `null` if there is none. */
export type CurrentFile = Pick<FileVersion, 'hash' | 'mode'> | null

/** The plan to restore one file. */
export type FilePlan =
  /** It is already as it was. */
  | { readonly kind: 'same' }
  /** `kept`: a person edited it between two changes, so it is restored only to that person's version. */
  | { readonly kind: 'restore'; readonly to: FileVersion | null; readonly kept?: true }
  /** A person edited it since, so it stays. `wanted` is its earlier version. */
  | { readonly kind: 'edited'; readonly wanted: FileVersion | null }

/**
 * Plans to restore a file after these changes, given oldest first. It goes back from the current content and reverts a
 * change only if the file has the result of that change. So a person's text is never overwritten.
 *
 *     agent A→B, agent B→C, now C      restored to A
 *     agent A→B, now P                 stays: P is a person's text
 *     agent A→B, person P, agent P→C   restored to P
 *     agent A→B, now A                 as it was; the change was recorded but never made
 */
export function planBack(changes: readonly FileChange[], now: CurrentFile): FilePlan {
  let to: FileVersion | null = now
  for (const change of changes.toReversed()) {
    if (isSame(to, change.after)) to = stepBack(change, to)
    else if (!isSame(to, change.before)) {
      const wanted = changes[0]?.before ?? null
      return isSameVersion(to, now) ? { kind: 'edited', wanted } : { kind: 'restore', to, kept: true }
    }
  }
  return isSameVersion(to, now) ? { kind: 'same' } : { kind: 'restore', to }
}

/** The version before a change. A mode that was changed since is kept. */
function stepBack({ before, after }: FileChange, now: FileVersion | null): FileVersion | null {
  if (before === null || now === null || after === null || now.mode === after.mode) return before
  return { ...before, mode: now.mode }
}

function isSameVersion(one: CurrentFile, other: CurrentFile): boolean {
  return isSame(one, other) && one?.mode === other?.mode
}

function isSame(one: CurrentFile, other: CurrentFile): boolean {
  return one?.hash === other?.hash
}
