import { type BigIntStats, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { safeLine } from '@mutsumi/schema'
import { writeAll } from './atomic-files.js'
import { cutOff, type OpenFile } from './open-file.js'
import { SessionError, writeErrorOf } from './session-fault.js'

/** The functions of an open file that the log needs. Tests pass one whose disk fails. */
export type LogFile = Pick<FileHandle, 'write' | 'datasync' | 'truncate' | 'stat' | 'read' | 'close'> &
  Partial<Pick<FileHandle, 'fd'>>

/** The known state of the file. Any difference was made by another program. */
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
  /** Writes everything that must be on disk before the line. */
  readonly prepare?: (() => Promise<void>) | undefined
  /** Whether the file, as read last, contains the line. */
  readonly isThere: () => boolean
  /** Whether the line is out of date after the file was read again. Then it is not written. */
  readonly isStale?: (() => boolean) | undefined
}

/** Runs work while another writer of the same file waits. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>

interface Waiting extends LineOptions {
  readonly bytes: Buffer
  readonly saved: (offset: number | undefined) => void
  readonly failed: (error: unknown) => void
}

/**
 * Appends lines to a file that others may read and change at any time. Waiting lines are written together by one
 * `write()` and share one `fdatasync`. None is acknowledged before the sync.
 */
export class LineLog {
  private waiting: Waiting[] = []
  private turn: Promise<unknown> = Promise.resolve()
  private planned = false
  /** The remains of a failed write that could not be removed yet: at most this many bytes after `open.state.size`. */
  private torn = 0
  private convert: (() => Promise<OpenLog>) | undefined

  constructor(
    private readonly path: string,
    private open: OpenLog,
    private readonly hooks: {
      /** Reads the file again after another program changed it. Its argument is the file that was open until now. */
      readonly reload: (before: LogFile) => Promise<OpenLog>
      /** Creates a file that can be appended to, if this one cannot. */
      readonly convert?: () => Promise<OpenLog>
      readonly openFile?: OpenFile | undefined
      readonly inTurn?: InTurn | undefined
    },
  ) {
    this.convert = hooks.convert
  }

  /** How long the file is, as far as this process read or wrote it. */
  get size(): number {
    return this.open.state.size
  }

  /** Returns where the line begins in the file; undefined if it is not written by this call. */
  append(line: string, options: LineOptions): Promise<number | undefined> {
    return new Promise((saved, failed) => {
      this.waiting.push({ bytes: Buffer.from(`${line}\n`), ...options, saved, failed })
      if (this.planned) return
      this.planned = true
      // One turn later, so that lines appended without waiting for the disk share a sync.
      void this.exclusively(() => nextTurn().then(() => this.commit()))
    })
  }

  /** Reads the file again if it is not as this log left it. */
  refresh(): Promise<'unchanged' | 'reloaded'> {
    return this.exclusively(() => this.catchUp())
  }

  /**
   * Waits for pending lines, then closes the file. With `look`, it checks first whether another program changed the
   * file.
   */
  close(look: 'look' | 'leave'): Promise<void> {
    return this.exclusively(async () => {
      try {
        // A deleted file stays deleted: no more lines will follow.
        if (look === 'look' && this.stateOnDisk()) await this.catchUp()
      } finally {
        await this.open.file.close()
      }
    })
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const { inTurn } = this.hooks
    const result = this.turn.then(() => (inTurn ? inTurn(work) : work()))
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
      const places = await this.writeInPlace(batch)
      for (const line of batch) line.saved(places.get(line))
    } catch (error) {
      // Later waiting lines depend on a lost record, so they fail too.
      const lost = [...batch, ...this.waiting.splice(0)]
      for (const { failed } of lost) failed(writeErrorOf(error, this.path))
    }
  }

  /** If another program replaced our file meanwhile, the lines went to a file without a name. Write them again. */
  private async writeInPlace(batch: readonly Waiting[]): Promise<ReadonlyMap<Waiting, number>> {
    let lines = batch.filter(({ isStale }) => !isStale?.())
    if (lines.length === 0) return new Map()
    for (
      let tries = 1;
      (await this.write(Buffer.concat(lines.map(({ bytes }) => bytes)))) === 'replaced';
      tries++
    ) {
      if (tries === mostTries) throw replacedAgain(this.path)
      await this.replaceBy(this.hooks.reload)
      lines = batch.filter(({ isThere, isStale }) => !isThere() && !isStale?.())
    }
    return offsetsBefore(this.open.state.size, lines)
  }

  private async write(bytes: Buffer): Promise<'saved' | 'replaced'> {
    const { file, state } = this.open
    try {
      await writeAll(file, bytes)
      await file.datasync()
    } catch (error) {
      this.torn = bytes.length
      // If even that fails, it is done before the next append. The first error is the one to report.
      await this.cutTorn().catch(() => undefined)
      throw error
    }
    const found = await this.stateAfterSync()
    if (!found || !isSameFile(found, state)) return 'replaced'
    // Another program emptied the file right before the line was written.
    if (found.modified >= 0n && found.size < state.size + bytes.length) return 'replaced'
    // Not the current size of the file, because another program may have appended to it meanwhile.
    this.open = { file, state: { ...found, size: state.size + bytes.length } }
    return 'saved'
  }

  /**
   * Synced lines are saved, even if the disk cannot confirm it or the file was moved. Then the next append reads the
   * file again. Undefined if the file was deleted.
   */
  private async stateAfterSync(): Promise<FileState | undefined> {
    const { file, state } = this.open
    try {
      const found = this.stateOnDisk()
      if (found || (await file.stat({ bigint: true })).nlink === 0n) return found
    } catch {
      // The next append reports it, if it is still true then.
    }
    return { ...state, modified: -1n }
  }

  private async cutTorn(): Promise<void> {
    if (this.torn === 0) return
    const { file, state } = this.open
    const { size } = await file.stat()
    // Anything longer is another program's. Then nothing is cut, and the file is read again and repaired.
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

  /** Undefined if the file no longer exists. */
  private stateOnDisk(): FileState | undefined {
    // Synchronous, because it takes only microseconds, and the thread pool would take much longer before every append.
    const stats = statSync(this.path, { bigint: true, throwIfNoEntry: false })
    return stats && fileStateOf(stats)
  }
}

/** How often a line is written again because another program replaced the file meanwhile. */
const mostTries = 100

function replacedAgain(path: string): SessionError {
  const name = safeLine(path)
  return new SessionError(
    'replaced',
    `Another program keeps replacing ${name}, so nothing can be saved in it. Stop that program, then go on.`,
  )
}

/** The offsets of the last lines of a file. */
function offsetsBefore(end: number, lines: readonly Waiting[]): ReadonlyMap<Waiting, number> {
  const offsets = new Map<Waiting, number>()
  let offset = end
  for (const line of lines.toReversed()) {
    offset -= line.bytes.length
    offsets.set(line, offset)
  }
  return offsets
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
