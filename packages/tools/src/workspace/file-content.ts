import { closeSync, constants, lstatSync, openSync } from 'node:fs'
import { readBytes } from './read-bytes.js'

const readFlags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/**
 * Whether a regular file contains these bytes; with undefined, whether there is nothing. It compares the content, not
 * the times, because two changes within one tick of the clock look like one.
 */
export function holdsExactly(path: string, expected: Buffer | undefined): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false })
  if (now === undefined || expected === undefined) return now === undefined && expected === undefined
  if (!now.isFile() || now.size !== expected.length) return false
  const fd = openSync(path, readFlags)
  try {
    return readBytes(fd, 0, expected.length + 1).equals(expected)
  } finally {
    closeSync(fd)
  }
}
