import { type FSWatcher, watch } from 'node:fs'

/** What happened to a name in a watched folder: it came or went, or what is there was changed. */
export type FolderEvent = 'rename' | 'change'

/** Hears of what happens in a folder, not below it. Several commands may watch the same one. */
export function watchFolder(
  folder: string,
  onEvent: (name: string | null, event: FolderEvent) => void,
): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (event, name) => onEvent(name, event))
    // The folder is gone, or moved: the look after the command counts.
    return [watcher.on('error', () => watcher.close())]
  } catch {
    // The user's watches are used up: the look after the command counts.
    return []
  }
}
