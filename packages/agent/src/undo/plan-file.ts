import type { FileChange, FileVersion } from '@mutsumi/schema'

/** A file as it is now; `null` where there is none. */
export type CurrentFile = Pick<FileVersion, 'hash' | 'mode'> | null

/** What can be done to bring one file back. */
export type FilePlan =
  /** It is as it was. */
  | { readonly kind: 'same' }
  /** `kept`: a person edited it between two changes, so it comes back as that person left it, and no further. */
  | { readonly kind: 'restore'; readonly to: FileVersion | null; readonly kept?: true }
  /** A person edited it since: it stays. `wanted` is how it was before. */
  | { readonly kind: 'edited'; readonly wanted: FileVersion | null }

/**
 * How a file comes back that was changed so, the oldest change first. It is followed back from what it is now: each
 * change is taken back only where it left what is found, so a person's text is never stepped over.
 *
 *     agent A→B, agent B→C, now C      back to A
 *     agent A→B, now P                 stays: P is a person's
 *     agent A→B, person P, agent P→C   back to P
 *     agent A→B, now A                 as it was; the change was recorded and never made
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

/** The version before a change. Who changed the mode since keeps it. */
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
