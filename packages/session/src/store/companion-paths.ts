import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'

const longestName = 255

/** Only one process at a time may write a session; this file names it. */
export function lockPath(path: string): string {
  return beside(path, '.lock')
}

/** The folder of a session's large texts, stored under their hash. */
export function contentFolder(path: string): string {
  return beside(path, '.d')
}

/** The index of a session's file, so that opening it need not read every line. It may be deleted at any time. */
export function indexPath(path: string): string {
  return beside(path, '.index')
}

/** `<name>.corrupt-<time>`: lines that could not be read. */
export function corruptPath(path: string, at: Date): string {
  return beside(path.replace(/\.mtm$/, ''), `.corrupt-${stamp(at)}`)
}

/** `<name>.lost-<time>`: records that were lost because another program put an older file here. */
export function lostPath(path: string, at: Date): string {
  return beside(path.replace(/\.mtm$/, ''), `.lost-${stamp(at)}`)
}

/** `<name>.rescued-<time>.mtm`: a whole session whose file another program replaced. */
export function rescuePath(path: string, at: Date): string {
  return beside(path.replace(/\.mtm$/, ''), `.rescued-${stamp(at)}.mtm`)
}

/** The file as it was before it was rewritten. */
export function backupPath(path: string, at: Date): string {
  return beside(path, `.bak-${stamp(at)}`)
}

/** A time that is valid in file names on every system, sortable and readable. */
export function stamp(at: Date): string {
  return at.toISOString().replace(/[-:]/g, '').replace('.', '')
}

/** If a name has the maximum length, there is no room for an ending. Then a hash replaces its end. */
export function beside(path: string, ending: string): string {
  const name = basename(path)
  // This leaves room for the random endings of temporary files and claims too.
  const room = longestName - Buffer.byteLength(ending) - 32
  if (Buffer.byteLength(name) <= room) return path + ending
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return join(dirname(path), `${cutBytes(name, room - hash.length - 1)}-${hash}${ending}`)
}

/** The longest beginning of whole characters that fits into this many bytes. */
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
