import { closeSync, constants, fstatSync, opendirSync, openSync, readSync } from 'node:fs'
import type { Opened } from './open-checked.js'
import { descriptorPath } from './real-path.js'

// A link as the last name is refused, a FIFO does not wait for its writer, and a terminal does not become ours. Windows
// has none of these flags.
const flags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/**
 * Opens a real path and passes it to `use`, unless any name on the way is a link: then, and if `use` fails, the result
 * is undefined. The check is made on what is open, so swapping a folder for a link in the meantime does not help. For
 * files in places that commands can write.
 */
export function withExact<Result>(path: string, use: (opened: Opened) => Result): Result | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, flags)
    const stat = fstatSync(fd)
    if (!stat.isFile() && !stat.isDirectory()) return undefined
    return descriptorPath(fd, stat, path) === path ? use({ fd, stat, realPath: path }) : undefined
  } catch {
    // It is gone, we may not read it, or somebody is changing it.
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** The whole content of a regular file; undefined if it is larger than `limit`. */
export function readExact(path: string, limit: number): Buffer | undefined {
  return withExact(path, ({ fd, stat }) =>
    stat.isFile() && stat.size <= limit ? readWhole(fd, stat.size) : undefined,
  )
}

/** Undefined if the file does not have this size, because it grew or shrank since. */
export function readWhole(fd: number, size: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(size + 1)
  let filled = 0
  for (let read = 1; read > 0 && filled <= size; filled += read)
    read = readSync(fd, bytes, filled, bytes.length - filled, filled)
  return filled === size ? bytes.subarray(0, size) : undefined
}

/** At most `limit` names in a folder; none if it is not a folder. */
export function namesInExact(folder: string, limit: number): readonly string[] {
  const list = ({ fd, stat }: Opened) => (stat.isDirectory() ? namesIn(doorTo(fd, folder), limit) : [])
  return withExact(folder, list) ?? []
}

/** The path of an open folder that still leads to it after its own path was changed. */
export function doorTo(fd: number, folder: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}` : folder
}

function namesIn(folder: string, limit: number): readonly string[] {
  const names: string[] = []
  const listing = opendirSync(folder)
  try {
    for (let next = listing.readSync(); next && names.length < limit; next = listing.readSync())
      names.push(next.name)
  } finally {
    listing.closeSync()
  }
  return names
}
