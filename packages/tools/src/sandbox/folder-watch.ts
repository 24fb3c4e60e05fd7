import { type FSWatcher, watch } from 'node:fs'

/** An event in a watched folder: an entry was added, removed or changed. */
export type FolderEvent = 'rename' | 'change'

/** Watches a folder, but not its subfolders. Several commands may watch the same one. */
export function watchFolder(
  folder: string,
  onEvent: (name: string | null, event: FolderEvent) => void,
): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (event, name) => onEvent(name, event))
    // The folder was removed or moved. The check after the command decides.
    return [watcher.on('error', () => watcher.close())]
  } catch {
    // The user's file watches are used up. The check after the command decides.
    return []
  }
}
