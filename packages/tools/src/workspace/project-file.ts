import { join, resolve } from 'node:path'
import type { ReadFault } from '@mutsumi/schema'
import { type Admits, withOpened } from './open-checked.js'
import { isInside } from './paths.js'
import { readBytes } from './read-bytes.js'
import { readFile } from './read-file.js'
import { realPathOf } from './real-path.js'
import { isSessionPath } from './session-paths.js'

/** A text file that the program itself reads before a session begins. */
export type TextFileReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'fault'; readonly message: string }

const longest = 1024 * 1024

/**
 * A file of a project, by its path relative to the project's folder. It may be a link, but its target must be in the
 * project.
 */
export function readProjectFile(root: string, name: string): TextFileReading {
  const folder = realPathOf(root)
  if (folder === undefined) return { kind: 'missing' }
  return readTextFile(
    join(folder, name),
    (realPath) => isInside(folder, realPath) && !isSessionPath(realPath),
  )
}

/**
 * One of the user's own files: a link may lead anywhere, as dotfiles do. A pipe or a device is refused without
 * waiting.
 */
export function readOwnFile(path: string): TextFileReading {
  return readTextFile(path, () => true)
}

/** The bytes of one of the user's own files, at most so many. A pipe or a device is refused without waiting. */
export function readOwnBytes(path: string, atMost: number): BytesReading {
  const reading = withOpened(
    resolve(path),
    () => true,
    ({ fd, stat }): { readonly kind: 'bytes'; readonly bytes: Buffer } | ReadFault => {
      if (stat.isDirectory()) return isFolder
      if (stat.size > atMost) return { ...isFolder, message: `is larger than ${atMost / 1024} KiB` }
      return { kind: 'bytes', bytes: Buffer.from(readBytes(fd, 0, stat.size)) }
    },
  )
  return reading.kind === 'bytes' ? reading : toFault(reading)
}

export type BytesReading = { readonly kind: 'bytes'; readonly bytes: Buffer } | NoReading
type NoReading = Exclude<TextFileReading, { readonly kind: 'text' }>

function readTextFile(path: string, admits: Admits): TextFileReading {
  const limits = { allowed: [], maxBytes: longest, maxImageBytes: 0 }
  const reading = withOpened(path, admits, (opened) =>
    opened.stat.isDirectory() ? isFolder : readFile(opened, limits),
  )
  if (reading.kind === 'fault') return toFault(reading)
  if (reading.kind !== 'file') return { kind: 'fault', message: 'is not a text file' }
  if (reading.truncated) return { kind: 'fault', message: 'is larger than 1 MiB' }
  return { kind: 'text', text: reading.text.replace(/^\ufeff/, '') }
}

const isFolder: ReadFault = { kind: 'fault', code: 'INVALID_PARAM', message: 'is a folder' }

function toFault({ code, message }: ReadFault): NoReading {
  return code === 'NOT_FOUND' && message === 'not found' ? { kind: 'missing' } : { kind: 'fault', message }
}
