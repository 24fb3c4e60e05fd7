import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'

const longestName = 255

/** Only one process at a time may write a session; this file says which. */
export function lockPath(path: string): string {
  return beside(path, '.lock')
}

/** Where a session's large contents lie, by their hash. */
export function contentFolder(path: string): string {
  return beside(path, '.d')
}

/** `<name>.corrupt-<time>`: what could not be read, set aside. */
export function corruptPath(path: string, at: Date): string {
  return beside(path.replace(/\.mtm$/, ''), `.corrupt-${stamp(at)}`)
}

/** `<name>.lost-<time>`: records that were saved here until another program put an older file in place. */
export function lostPath(path: string, at: Date): string {
  return beside(path.replace(/\.mtm$/, ''), `.lost-${stamp(at)}`)
}

/** `<name>.rescued-<time>.mtm`: a whole session whose file another program put something else in the place of. */
export function rescuePath(path: string, at: Date): string {
  return beside(path.replace(/\.mtm$/, ''), `.rescued-${stamp(at)}.mtm`)
}

/** The file as it was before it was rewritten. */
export function backupPath(path: string, at: Date): string {
  return beside(path, `.bak-${stamp(at)}`)
}

/** A time that may stand in a file name on every system, sorts, and is readable. */
export function stamp(at: Date): string {
  return at.toISOString().replace(/[-:]/g, '').replace('.', '')
}

/** A name that is as long as names may be leaves no room for an ending: its own hash stands for its end. */
export function beside(path: string, ending: string): string {
  const name = basename(path)
  // Room for the random endings of temporary files and claims too.
  const room = longestName - Buffer.byteLength(ending) - 32
  if (Buffer.byteLength(name) <= room) return path + ending
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return join(dirname(path), `${cutBytes(name, room - hash.length - 1)}-${hash}${ending}`)
}

/** The longest beginning of whole characters that fits in so many bytes. */
export function cutBytes(text: string, bytes: number): string {
  let used = 0
  let kept = ''
  for (const character of text) {
    used += Buffer.byteLength(character)
    if (used > bytes) break
    kept += character
  }
  return kept
}
