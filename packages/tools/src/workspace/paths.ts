import { isAbsolute, posix, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * True if `path` is `root` or below it. Whole names are compared, not characters: `/ws-evil` is not inside `/ws`, and
 * `/ws/..foo` is. A root may be `/` or `C:/`. Links are not followed, so pass real paths.
 */
export function contains(root: string, path: string): boolean {
  return isInside(plain(root), plain(path))
}

/** The same for paths that are already normalised, such as real paths. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
}

/** The absolute POSIX path that a `file:` URI or a path names; undefined if it is not a local file. */
export function toPath(uri: string, root: string): string | undefined {
  const path = /^file:/i.test(uri) ? fromFileUri(uri) : uri
  if (path === undefined || path.includes('\0') || isOtherScheme(path)) return undefined
  return toPosix(resolve(root, path))
}

/** The path for people: relative to the root if it is inside, else absolute. */
export function relativeTo(root: string, path: string): string {
  return isInside(root, path) ? posix.relative(root, path) || '.' : path
}

export function toPosix(path: string, separator: string = sep): string {
  return separator === '/' ? path : path.replaceAll(separator, '/')
}

function plain(path: string): string {
  const normal = posix.normalize(path)
  return normal.length > 1 && normal.endsWith('/') && !/^[a-z]:\/$/i.test(normal)
    ? normal.slice(0, -1)
    : normal
}

function fromFileUri(uri: string): string | undefined {
  try {
    return fileURLToPath(uri)
  } catch {
    // Another machine's file or a broken escape.
    return undefined
  }
}

function isOtherScheme(path: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path) && !isAbsolute(path)
}
