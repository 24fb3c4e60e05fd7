import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { toPosix } from './paths.js'

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

/** Where a path is, or would be if what is missing of it were made. Links in circles end at one of them. */
export function whereabouts(path: string, links = linkLimit): string | undefined {
  const real = realPathOf(path)
  const folder = dirname(path)
  if (real !== undefined || folder === path) return real
  const parent = whereabouts(folder, links)
  if (parent === undefined) return undefined
  const place = join(parent, basename(path))
  const target = linkTarget(place)
  if (target === undefined || links === 0) return toPosix(place)
  return whereabouts(resolve(parent, target), links - 1)
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
