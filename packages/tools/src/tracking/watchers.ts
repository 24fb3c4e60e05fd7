import { isReadOnlyLine } from '../command-line/read-only.js'
import type { ChangeKeeper } from '../contract/changed-file.js'
import type { UndoReach } from '../contract/define-tool.js'
import type { PathPattern } from '../workspace/path-pattern.js'
import { type CommandWatch, CommandWatcher } from './command-watcher.js'

/** A command, and the real folders that it may change, the workspace first. */
export interface WatchedCommand {
  readonly command: string
  readonly folders: readonly string[]
  readonly home: string
  /** The paths that rules deny reading. */
  readonly denied?: readonly PathPattern[]
}

/** The watchers of a run. They are kept, so that the next command need not read known files again. */
export class Watchers {
  readonly #byFolders = new Map<string, CommandWatcher>()
  readonly #told = new Set<string>()

  /** The reach of undo; undefined if the command only reads. */
  async reach(watched: WatchedCommand): Promise<UndoReach | undefined> {
    if (isReadOnlyLine(watched.command)) return undefined
    return (await this.#of(watched).canSee()) ? 'not-ignored' : 'nothing'
  }

  /** Undefined if changes are not recorded, or if the command only reads. */
  async begin(watched: WatchedCommand, keeper: ChangeKeeper | undefined): Promise<CommandWatch | undefined> {
    if (keeper === undefined || isReadOnlyLine(watched.command)) return undefined
    const watch = await this.#of(watched).begin(keeper, watched.denied)
    return { end: async () => this.#notYetTold(await watch.end()) }
  }

  #of({ folders, home }: WatchedCommand): CommandWatcher {
    const key = folders.join('\0')
    const watcher = this.#byFolders.get(key) ?? new CommandWatcher(folders, { home })
    this.#byFolders.set(key, watcher)
    return watcher
  }

  /** A note is shown once, not with every command. */
  #notYetTold(notes: readonly string[]): readonly string[] {
    const fresh = notes.filter((note) => !this.#told.has(note))
    for (const note of fresh) this.#told.add(note)
    return fresh
  }
}
