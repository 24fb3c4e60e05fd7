import { readlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { statOf } from '../workspace/look-at.js'
import { watchFolder } from './folder-watch.js'
import { type ForeignEntry, isForbidden, isKnown, type KnownEntries, removeEntry } from './foreign-entries.js'

export interface EntryWatch {
  /** Returns the entries that appeared. */
  stop(): readonly string[]
}

/** The user's limit of watches is shared with editors. The search after the command finds what appears elsewhere. */
const watchLimit = 60

/**
 * Watches folders of repositories, the nearest of which git writes most. A link or pipe is removed the moment it appears,
 * because the user may use git at the same time, and `onMade` is called, so that the command ends.
 */
export function watchEntries(
  folders: readonly string[],
  known: KnownEntries,
  onMade: () => void,
): EntryWatch {
  const made = new Set<string>()
  const watchers = folders.slice(0, watchLimit).flatMap((folder) =>
    watchFolder(folder, (name, event) => {
      const entry = event === 'rename' && name !== null ? entryAt(join(folder, name)) : undefined
      if (entry === undefined || isKnown(entry, known) || !isForbidden(entry) || isProbe(entry)) return
      made.add(entry.path)
      removeEntry(entry.path)
      onMade()
    }),
  )
  return {
    stop() {
      for (const watcher of watchers) watcher.close()
      return [...made]
    },
  }
}

function entryAt(path: string): ForeignEntry | undefined {
  const found = statOf(path)
  if (found === undefined || found.isDirectory() || found.isFile()) return undefined
  if (found.isSymbolicLink()) return { path, kind: 'link' }
  return { path, kind: found.isSocket() ? 'socket' : 'other' }
}

/** `git init` makes the link `tXXXXXX` in a new `.git` for a moment, to find out whether the disk has links. */
function isProbe({ path, kind }: ForeignEntry): boolean {
  if (kind !== 'link' || !/^t\w{6}$/.test(basename(path))) return false
  try {
    return readlinkSync(path) === 'testing' && statOf(join(dirname(path), 'testing')) === undefined
  } catch {
    // It is gone.
    return true
  }
}
