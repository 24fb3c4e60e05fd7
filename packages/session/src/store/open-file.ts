import { constants, lstatSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { safeLine } from '@mutsumi/schema'
import { refuseMovedOutside, refuseOutside } from './inside-project.js'
import type { LogFile } from './line-log.js'
import { errorCode, SessionError } from './session-fault.js'

/** Opens a session's file; tests pass one whose disk fails. */
export type OpenFile = (path: string, flags: number) => Promise<LogFile>

// Does not wait for the other end of a pipe and does not follow a link, so the opened file is the named one.
const common = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
export const forReading = constants.O_RDONLY | common
export const forAppending = constants.O_RDWR | constants.O_APPEND | common
const forCutting = constants.O_RDWR | common

const openOnDisk: OpenFile = (path, flags) => open(path, flags)

/** Windows has no flag against following a link when a file is opened. */
export function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
  throw new SessionError(
    'not-a-session',
    `${safeLine(path)} is a symbolic link, and links are not followed. Name the file itself.`,
  )
}

/** Opens a regular file and nothing else. */
export async function openRegular(path: string, flags: number, openFile = openOnDisk): Promise<LogFile> {
  refuseOutside(path)
  if (constants.O_NOFOLLOW === undefined) refuseLink(path)
  const file = await openFile(path, flags)
  try {
    const stats = await file.stat({ bigint: true })
    if (!stats.isFile()) throw new SessionError('not-a-session', `${safeLine(path)} is not a regular file.`)
    refuseMovedOutside(path, stats)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Truncates a file. Windows refuses that for an append-only handle, so another handle is used. */
export async function cutOff(path: string, file: LogFile, size: number, openFile?: OpenFile): Promise<void> {
  try {
    await file.truncate(size)
  } catch (error) {
    if (!['EPERM', 'EACCES', 'EINVAL'].includes(errorCode(error))) throw error
    const other = await openRegular(path, forCutting, openFile)
    try {
      if (!(await isSameFile(file, other))) throw error
      await other.truncate(size)
      await other.datasync()
    } finally {
      await other.close()
    }
  }
}

async function isSameFile(one: LogFile, other: LogFile): Promise<boolean> {
  const [here, there] = [await one.stat({ bigint: true }), await other.stat({ bigint: true })]
  return here.dev === there.dev && here.ino === there.ino
}

export interface Range {
  readonly from: number
  readonly to: number
}

const chunkSize = 1024 * 1024

/** A part of a file, piece by piece. A piece is valid until the next one. */
export async function* chunks(
  file: Pick<FileHandle, 'read'>,
  { from, to }: Range,
): AsyncGenerator<Uint8Array> {
  // Not a Buffer, because its `slice` does not copy, and the memory is reused.
  const buffer = new Uint8Array(Math.min(chunkSize, Math.max(to - from, 1)))
  for (let at = from; at < to; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** Copies parts of a file one after the other. Blocks of zeros stay holes, so that a sparse file stays small. */
export async function copyRanges(
  from: Pick<FileHandle, 'read'>,
  to: Pick<FileHandle, 'write' | 'truncate'>,
  ranges: readonly Range[],
): Promise<void> {
  let at = 0
  for (const range of ranges)
    for await (const chunk of chunks(from, range)) {
      if (!isZero(chunk)) await writeAt(to, chunk, at)
      at += chunk.length
    }
  await to.truncate(at)
}

async function writeAt(file: Pick<FileHandle, 'write'>, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}

function isZero(bytes: Uint8Array): boolean {
  return bytes[0] === 0 && zeros.subarray(0, bytes.length).equals(bytes)
}

const zeros = Buffer.alloc(chunkSize)
