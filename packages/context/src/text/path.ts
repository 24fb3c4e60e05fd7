import type { LineRange } from '@mutsumi/schema'

/**
 * The absolute POSIX path that a reference means. Relative to the workspace's root, but `./x` and
 * `../x` inside an included file are relative to that file's folder.
 */
export function resolvePath(path: string, root: string, folder: string): string {
  if (path.startsWith('/')) return normalize(path)
  const besideFile = /^\.\.?(\/|$)/.test(path)
  return normalize(`${besideFile ? folder : root}/${path}`)
}

/** One key per file: relative to the workspace if it is inside, else absolute. */
export function canonicalKey(absolutePath: string, root: string): string {
  if (absolutePath === root) return '.'
  const prefix = root === '/' ? '/' : `${root}/`
  return absolutePath.startsWith(prefix) ? absolutePath.slice(prefix.length) : absolutePath
}

/** `a.ts`, `a.ts:10` or `a.ts:10:20`. */
export function withRange(key: string, range: LineRange | undefined): string {
  if (!range) return key
  return range.start === range.end ? `${key}:${range.start}` : `${key}:${range.start}:${range.end}`
}

/** The folder of a file; the root's folder is the root. */
export function folderOf(absolutePath: string): string {
  const slash = absolutePath.lastIndexOf('/')
  return slash <= 0 ? '/' : absolutePath.slice(0, slash)
}

/** Lower-case extension with its dot, or the empty string. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? '' : name.slice(dot).toLowerCase()
}

/** Matches an empty, `.` or `..` segment. Most paths have none and need no work. */
const needsWork = /\/\.{0,2}(?:\/|$)/

function normalize(path: string): string {
  if (!needsWork.test(path)) return path
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}`
}
