import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname, join, type ParsedPath, parse, resolve, sep } from 'node:path'
import { toPosix } from './paths.js'

/** The disk functions; tests pass those of another system. */
interface Disk {
  isThere(path: string): boolean
  parse(path: string): ParsedPath
  readonly sep: string
}

/** The most links that Linux itself follows. */
const linkLimit = 40

/** The path with every link resolved; undefined if it does not exist or is not accessible. */
export function realPathOf(path: string): string | undefined {
  try {
    return toPosix(realpathSync.native(path))
  } catch {
    // Missing, a cycle of links, or a folder without search permission: there is no real path.
    return undefined
  }
}

/** The real path of an open descriptor. Swapping links after the file was opened cannot change this answer. */
export function descriptorPath(fd: number, stat: Stats, openedAs: string): string | undefined {
  return (process.platform === 'linux' ? kernelPath(fd) : undefined) ?? confirmedPath(stat, openedAs)
}

/**
 * The real path of an absolute path, or the one it would have if its missing parts were created. A cycle of links ends
 * at one of them.
 */
export function realPathOrPlanned(path: string, links = linkLimit): string | undefined {
  const { found, missing } = splitAtMissing(path)
  const real = realPathOf(found)
  if (real !== undefined) return toPosix(join(real, missing))
  const parent = found === dirname(found) ? undefined : realPathOrPlanned(dirname(found), links)
  if (parent === undefined) return undefined
  const place = join(parent, basename(found))
  const target = linkTarget(place)
  if (target === undefined || links === 0) return toPosix(join(place, missing))
  return realPathOrPlanned(join(resolve(parent, target), missing), links - 1)
}

/**
 * The existing part of a path (its last name may be a broken link), and the rest. If a name is missing, everything
 * below it is too. So the border is found by binary search, because a path may have two thousand names.
 */
export function splitAtMissing(
  path: string,
  disk: Disk = { isThere, parse, sep },
): { readonly found: string; readonly missing: string } {
  const { root } = disk.parse(path)
  // Windows accepts both separators, and ours are always `/`.
  const names = path.slice(root.length).split(disk.sep === '/' ? '/' : /[\\/]/)
  const upTo = (count: number) => root + names.slice(0, count).join('/')
  let present = 0
  let absent = names.length + 1
  while (absent - present > 1) {
    const middle = (present + absent) >> 1
    if (disk.isThere(upTo(middle))) present = middle
    else absent = middle
  }
  return { found: upTo(present), missing: names.slice(present).join('/') }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Below a file, a name that is too long, or a folder without search permission: it is not accessible.
    return false
  }
}

function kernelPath(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    // A container without /proc.
    return undefined
  }
}

/** Without /proc, the real path counts only if it names the very inode that was opened. */
function confirmedPath(opened: Stats, openedAs: string): string | undefined {
  const path = realPathOf(openedAs)
  if (path === undefined) return undefined
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.dev === opened.dev && found.ino === opened.ino ? path : undefined
}

/** The target of a link; undefined if it is not a link. */
export function linkTarget(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found?.isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    // Its folder cannot be searched, so nothing is known about a link.
    return undefined
  }
}
