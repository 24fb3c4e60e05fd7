import { type BigIntStats, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeAll } from './atomic-files.js'
import { cutOff, type OpenFile } from './open-file.js'
import { writeErrorOf } from './session-fault.js'

/** What the log needs of an open file; a test hands in one whose disk fails. */
export type LogFile = Pick<FileHandle, 'write' | 'datasync' | 'truncate' | 'stat' | 'read' | 'close'>

/** What is known of the file: whatever differs from it, another program did. */
export interface FileState {
  readonly device: bigint
  readonly inode: bigint
  readonly size: number
  readonly modified: bigint
}

export interface OpenLog {
  readonly file: LogFile
  readonly state: FileState
}

export interface LineOptions {
  /** What must be on disk before the line is. */
  readonly prepare?: (() => Promise<void>) | undefined
  /** Whether the file that was read last holds the line. */
  readonly isThere: () => boolean
  /** Whether the line no longer holds, now that the file was read anew: then it is not written. */
  readonly isStale?: (() => boolean) | undefined
}

interface Waiting extends LineOptions {
  readonly bytes: Buffer
  readonly saved: () => void
  readonly failed: (error: unknown) => void
}

/**
 * Appends lines to a file that others may look at, and change, at any time. Lines that are waiting together are
 * written by one `write()` and share one `fdatasync`; none is acknowledged before it.
 */
export class LineLog {
  private waiting: Waiting[] = []
  private turn: Promise<unknown> = Promise.resolve()
  private planned = false
  /** A failed write could not be taken back yet: so many bytes at most lie behind `open.state.size`. */
  private torn = 0
  private convert: (() => Promise<OpenLog>) | undefined

  constructor(
    private readonly path: string,
    private open: OpenLog,
    private readonly hooks: {
      /** Reads the file anew after another program changed it. It gets the one that was open until now. */
      readonly reload: (before: LogFile) => Promise<OpenLog>
      /** Puts a file in place that can be appended to, where this one cannot. */
      readonly convert?: () => Promise<OpenLog>
      readonly openFile?: OpenFile | undefined
    },
  ) {
    this.convert = hooks.convert
  }

  append(line: string, options: LineOptions): Promise<void> {
    return new Promise((saved, failed) => {
      this.waiting.push({ bytes: Buffer.from(`${line}\n`), ...options, saved, failed })
      if (this.planned) return
      this.planned = true
      // One turn later: lines that follow each other without waiting for the disk share a sync.
      void this.exclusively(() => nextTurn().then(() => this.commit()))
    })
  }

  /** Reads the file anew where it is not as this log left it. */
  refresh(): Promise<'unchanged' | 'reloaded'> {
    return this.exclusively(() => this.catchUp())
  }

  /** Waits for what was appended before, then lets the file go; `look` if another program changed it since. */
  close(look: 'look' | 'leave'): Promise<void> {
    return this.exclusively(async () => {
      try {
        // A file that was deleted stays so: nothing goes on in it.
        if (look === 'look' && this.stateOnDisk()) await this.catchUp()
      } finally {
        await this.open.file.close()
      }
    })
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work)
    this.turn = result.catch(() => undefined)
    return result
  }

  private async commit(): Promise<void> {
    this.planned = false
    const batch = this.waiting.splice(0)
    try {
      await this.cutTorn()
      await this.catchUp()
      await this.convertOnce()
      for (const { prepare } of batch) await prepare?.()
      await this.writeInPlace(batch)
      for (const { saved } of batch) saved()
    } catch (error) {
      // Whoever waits behind a lost record counts on it.
      const lost = [...batch, ...this.waiting.splice(0)]
      for (const { failed } of lost) failed(writeErrorOf(error, this.path))
    }
  }

  /** Where another program put its file in the place of ours meanwhile, what was written went to no one: once more. */
  private async writeInPlace(batch: readonly Waiting[]): Promise<void> {
    let lines = batch.filter(({ isStale }) => !isStale?.())
    if (lines.length === 0) return
    while ((await this.write(Buffer.concat(lines.map(({ bytes }) => bytes)))) === 'replaced') {
      await this.replaceBy(this.hooks.reload)
      lines = batch.filter(({ isThere, isStale }) => !isThere() && !isStale?.())
    }
  }

  private async write(bytes: Buffer): Promise<'saved' | 'replaced'> {
    const { file, state } = this.open
    try {
      await writeAll(file, bytes)
      await file.datasync()
    } catch (error) {
      this.torn = bytes.length
      // Where even that fails, it is done before the next append. The first error is the one to tell.
      await this.cutTorn().catch(() => undefined)
      throw error
    }
    const found = await this.stateAfterSync()
    if (!found || !isSameFile(found, state)) return 'replaced'
    // Another program emptied it right before the line was written.
    if (found.modified >= 0n && found.size < state.size + bytes.length) return 'replaced'
    // Not the size that the file has now: what another program appended meanwhile is its doing.
    this.open = { file, state: { ...found, size: state.size + bytes.length } }
    return 'saved'
  }

  /**
   * What is synced is saved, even if the disk cannot say so, or the file was moved: then the next append reads the file
   * anew. Nothing if it was deleted.
   */
  private async stateAfterSync(): Promise<FileState | undefined> {
    const { file, state } = this.open
    try {
      const found = this.stateOnDisk()
      if (found || (await file.stat({ bigint: true })).nlink === 0n) return found
    } catch {
      // Told by the next append, if it is still so then.
    }
    return { ...state, modified: -1n }
  }

  private async cutTorn(): Promise<void> {
    if (this.torn === 0) return
    const { file, state } = this.open
    const { size } = await file.stat()
    // More than that is another program's: then nothing is cut, and the file is read anew and mended.
    if (size <= state.size + this.torn) {
      await cutOff(this.path, file, state.size, this.hooks.openFile)
      await this.remember(state.size)
    }
    this.torn = 0
  }

  private async remember(size: number): Promise<void> {
    const { file } = this.open
    this.open = { file, state: { ...fileStateOf(await file.stat({ bigint: true })), size } }
  }

  private async catchUp(): Promise<'unchanged' | 'reloaded'> {
    const found = this.stateOnDisk()
    if (found && isSame(this.open.state, found)) return 'unchanged'
    await this.replaceBy(this.hooks.reload)
    return 'reloaded'
  }

  private async convertOnce(): Promise<void> {
    if (!this.convert) return
    await this.replaceBy(this.convert)
    this.convert = undefined
  }

  private async replaceBy(make: (before: LogFile) => Promise<OpenLog>): Promise<void> {
    const before = this.open.file
    this.open = await make(before)
    await before.close()
  }

  /** Nothing if there is no file any more. */
  private stateOnDisk(): FileState | undefined {
    // At once: it takes some microseconds, and a way through the thread pool before every append takes many more.
    const stats = statSync(this.path, { bigint: true, throwIfNoEntry: false })
    return stats && fileStateOf(stats)
  }
}

export function fileStateOf(stats: BigIntStats): FileState {
  return { device: stats.dev, inode: stats.ino, size: Number(stats.size), modified: stats.mtimeNs }
}

function isSame(one: FileState, other: FileState): boolean {
  return isSameFile(one, other) && one.size === other.size && one.modified === other.modified
}

function isSameFile(one: FileState, other: FileState): boolean {
  return one.device === other.device && one.inode === other.inode
}
