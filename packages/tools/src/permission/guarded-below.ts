import { isSecretPath } from '../ground/secret-names.js'
import type { PathWorld } from './judge-path.js'

/** A person waits for the answer. So many take about half a second. */
const nameLimit = 10_000

/**
 * True if a search of everything in a real folder opens a file that a command may not name without asking, such as a
 * session, the config of a repository or a key; also if there is too much to look at.
 */
export function holdsGuarded(
  folder: string,
  world: Pick<PathWorld, 'entriesOf' | 'isOpened' | 'isProtected'>,
): boolean {
  const isGuarded = (path: string) => !world.isOpened(path) || isSecretPath(path) || world.isProtected(path)
  if (isGuarded(folder)) return true
  let left = nameLimit
  const folders = [folder]
  for (const place of folders) {
    const entries = world.entriesOf(place)
    // One more for the folder itself, so that empty folders count too.
    left -= entries.length + 1
    if (left < 0) return true
    for (const { name, kind } of entries) {
      // Searches follow no links, and open no pipes.
      if (kind !== 'folder' && kind !== 'file') continue
      const path = `${place === '/' ? '' : place}/${name}`
      // A folder whose name is not text cannot be looked into.
      if (name.includes('\ufffd') || isGuarded(path)) return true
      if (kind === 'folder') folders.push(path)
    }
  }
  return false
}
