import { unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { outcomeText } from '../reasons/outcome.js'
import { watchFolder } from './folder-watch.js'
import { foreignPointersOf } from './protected-changes.js'

/** Watches for the one file that no mount can keep out of a repository's folder, because it does not exist. */
export interface PointerWatch {
  /** Deletes files that appeared last, and returns all that appeared. */
  stop(): readonly string[]
}

/**
 * With a `commondir`, git takes hooks and settings from another folder. Git creates one only in the folder of a linked
 * work tree, never in these. It is deleted as soon as it appears, and `onMade` is called, so that the command ends.
 */
export function watchPointers(gitFolders: readonly string[], onMade: () => void): PointerWatch {
  const made = new Set<string>()
  const watchers = gitFolders.flatMap((folder) =>
    watchFolder(folder, (name) => name === 'commondir' && look()),
  )
  return {
    stop() {
      for (const watcher of watchers) watcher.close()
      look()
      return [...made]
    },
  }

  function look(): void {
    const found = foreignPointersOf({ gitFolders })
    for (const path of found) {
      made.add(path)
      remove(path)
    }
    if (found.length > 0) onMade()
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Its folder was locked. The next command is refused until somebody has checked it.
  }
}

/** Why no command runs while such a file is there. */
export function foreignPointerMessage(path: string): string {
  return outcomeText('foreign-pointer', path, dirname(path))
}
