import { statOf } from '../workspace/look-at.js'

/** Facts that distinguish two states of a file without reading it. */
export interface FileSign {
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly inode: number
  /** The number of names that this very file has. */
  readonly links: number
  /** The permission bits. */
  readonly mode: number
  /** The time at which we looked at it. */
  readonly seenAt: number
}

/** Undefined if there is no regular file. */
export function signOf(path: string, seenAt: number): FileSign | undefined {
  const stat = statOf(path)
  if (!stat?.isFile()) return undefined
  const { size, mtimeMs, ctimeMs, ino, nlink, mode } = stat
  return { size, mtimeMs, ctimeMs, inode: ino, links: nlink, mode: mode & 0o7777, seenAt }
}

export function isSameSign(one: FileSign, other: FileSign): boolean {
  return (
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.size === other.size &&
    one.inode === other.inode &&
    one.mode === other.mode
  )
}

/** Two changes within a tick of the clock look like one. So a look this soon after a change proves nothing. */
const clockTick = 100

export function isTooFresh({ ctimeMs, seenAt }: FileSign): boolean {
  return seenAt - ctimeMs < clockTick
}
