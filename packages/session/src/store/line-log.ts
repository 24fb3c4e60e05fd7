import { type BigIntStats, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { safeLine } from '@mutsumi/schema'
import { writeAll } from './durable.js'
import { errorCode, SessionError, writeErrorOf } from './session-fault.js'

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
      /** Reads the file anew after another program changed it. */
      readonly reload: () => Promise<OpenLog>
      /** Puts a file in place that can be appended to, where this one cannot. */
      readonly convert?: () => Promise<OpenLog>
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

  /** Waits for what was appended before, then lets the file go. */
  close(): Promise<void> {
    return this.exclusively(() => this.open.file.close())
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
    const found = this.stateAfterSync()
    if (!isSameFile(found, state)) return 'replaced'
    // Not the size that the file has now: what another program appended meanwhile is its doing.
    this.open = { file, state: { ...found, size: state.size + bytes.length } }
    return 'saved'
  }

  /** What is synced is saved, even if the disk cannot say so: then the next append reads the file anew. */
  private stateAfterSync(): FileState {
    try {
      return this.stateOnDisk()
    } catch {
      return { ...this.open.state, modified: -1n }
    }
  }

  private async cutTorn(): Promise<void> {
    if (this.torn === 0) return
    const { file, state } = this.open
    const { size } = await file.stat()
    // More than that is another program's: then nothing is cut, and the file is read anew and mended.
    if (size <= state.size + this.torn) {
      await file.truncate(state.size)
      await this.remember(state.size)
    }
    this.torn = 0
  }

  private async remember(size: number): Promise<void> {
    const { file } = this.open
    this.open = { file, state: { ...stateOf(await file.stat({ bigint: true })), size } }
  }

  private async catchUp(): Promise<'unchanged' | 'reloaded'> {
    if (isSame(this.open.state, this.stateOnDisk())) return 'unchanged'
    await this.replaceBy(this.hooks.reload)
    return 'reloaded'
  }

  private async convertOnce(): Promise<void> {
    if (!this.convert) return
    await this.replaceBy(this.convert)
    this.convert = undefined
  }

  private async replaceBy(make: () => Promise<OpenLog>): Promise<void> {
    const before = this.open.file
    this.open = await make()
    await before.close()
  }

  private stateOnDisk(): FileState {
    try {
      // At once: it takes some microseconds, and a way through the thread pool before every append takes many more.
      return stateOf(statSync(this.path, { bigint: true }))
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      throw new SessionError(
        'missing',
        `${safeLine(this.path)} was moved or deleted by another program. Put it back, or open it where it is now.`,
      )
    }
  }
}

export function stateOf(stats: BigIntStats): FileState {
  return { device: stats.dev, inode: stats.ino, size: Number(stats.size), modified: stats.mtimeNs }
}

function isSame(one: FileState, other: FileState): boolean {
  return isSameFile(one, other) && one.size === other.size && one.modified === other.modified
}

function isSameFile(one: FileState, other: FileState): boolean {
  return one.device === other.device && one.inode === other.inode
}
