import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname, join, type ParsedPath, parse, resolve, sep } from 'node:path'
import { toPosix } from './paths.js'

/** What is asked of the disk; a test lends another machine's. */
interface Disk {
  isThere(path: string): boolean
  parse(path: string): ParsedPath
  readonly sep: string
}

/** As many links as Linux itself follows. */
const linkLimit = 40

/** The path with every link resolved; undefined where there is nothing, or nothing that may be seen. */
export function realPathOf(path: string): string | undefined {
  try {
    return toPosix(realpathSync.native(path))
  } catch {
    // Missing, a link in circles, a folder that may not be searched: it has no real path for us.
    return undefined
  }
}

/** Where an open descriptor really is. Whoever swaps links after the opening cannot change this answer. */
export function descriptorPath(fd: number, stat: Stats, openedAs: string): string | undefined {
  return (process.platform === 'linux' ? kernelPath(fd) : undefined) ?? confirmedPath(stat, openedAs)
}

/** Where an absolute path is, or would be if what is missing of it were made. Links in circles end at one of them. */
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
 * The part of a path that is there (its last name may be a link that leads nowhere), and the rest. Where a
 * name is missing all below it is, so the border is found by halving: a path may have two thousand names.
 */
export function splitAtMissing(
  path: string,
  disk: Disk = { isThere, parse, sep },
): { readonly found: string; readonly missing: string } {
  const { root } = disk.parse(path)
  // Windows takes both, and ours are written with `/` there too.
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
    // Below a file, a name too long, a folder that may not be searched: whatever is there is not for us.
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

/** Without /proc: the real path counts only if it names the very inode that was opened. */
function confirmedPath(opened: Stats, openedAs: string): string | undefined {
  const path = realPathOf(openedAs)
  if (path === undefined) return undefined
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.dev === opened.dev && found.ino === opened.ino ? path : undefined
}

/** What a link says; undefined where there is no link. */
export function linkTarget(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found?.isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    // Its folder may not be searched, so nothing is known of a link.
    return undefined
  }
}
