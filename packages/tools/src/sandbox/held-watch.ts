import { dirname, join } from 'node:path'
import { kindOf } from '../protected/git-places.js'
import { watchFolder } from './folder-watch.js'

/** Watches places that mounts protect, while a command runs. */
export interface HeldWatch {
  /** Returns the paths that were replaced meanwhile. */
  stop(): readonly string[]
}

/**
 * The kernel removes a mount if another program deletes or replaces its mount point, as `git config` does with the
 * config. From then on the command could write there, so `onReplaced` is called and the command ends.
 */
export function watchHeld(places: readonly string[], onReplaced: () => void): HeldWatch {
  const replaced = new Set<string>()
  const held = new Set(places)
  const folders = new Set(places.map((path) => dirname(path)))
  const watchers = [...folders].flatMap((folder) =>
    watchFolder(folder, (name, event) => {
      const path = join(folder, name ?? '')
      // The command cannot add or remove a protected name, so one event is enough. The inode number proves nothing,
      // because a new file may get the old one's.
      if (event !== 'rename' || name === null || !held.has(path)) return
      // A removed file cannot be written. If it is created again, that is another event.
      if (kindOf(path) === undefined) return
      replaced.add(path)
      onReplaced()
    }),
  )
  return {
    stop() {
      for (const watcher of watchers) watcher.close()
      return [...replaced]
    },
  }
}
