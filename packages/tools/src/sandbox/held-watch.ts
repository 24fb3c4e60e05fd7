import { dirname, join } from 'node:path'
import { kindOf } from '../protected/git-places.js'
import { watchFolder } from './folder-watch.js'

/** Looks after places that mounts hold, for as long as a command runs. */
export interface HeldWatch {
  /** Tells what was replaced meanwhile. */
  stop(): readonly string[]
}

/**
 * The kernel takes a mount away if somebody outside deletes or replaces what it lies on, as `git config` does with the
 * config. From then on the command could write there, so `onReplaced` is called and the command ends.
 */
export function watchHeld(places: readonly string[], onReplaced: () => void): HeldWatch {
  const replaced = new Set<string>()
  const held = new Set(places)
  const folders = new Set(places.map((path) => dirname(path)))
  const watchers = [...folders].flatMap((folder) =>
    watchFolder(folder, (name, event) => {
      const path = join(folder, name ?? '')
      // Nobody inside can make a held name come or go, so one event is enough: a new file may get the old one's number.
      if (event !== 'rename' || name === null || !held.has(path)) return
      // What is only gone cannot be written. If it comes again, whoever makes it, that is an event too.
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
