import type { LineRange } from '@mutsumi/schema'

/**
 * The absolute path that a reference means, with slashes. Relative to the workspace's root, but `./x` and
 * `../x` inside an included file are relative to that file's folder. On Windows, which a root such as `C:/ws` or
 * `//server/share` shows, references may be written with backslashes.
 */
export function resolvePath(path: string, root: string, folder: string): string {
  const start = windowsStart(root)
  if (start !== undefined) return resolveOnWindows(path.replaceAll('\\', '/'), { start, root, folder })
  if (path.startsWith('/')) return normalize(path)
  return normalize(`${isBesideFile(path) ? folder : root}/${path}`)
}

function resolveOnWindows(
  path: string,
  { start, root, folder }: { readonly start: string; readonly root: string; readonly folder: string },
): string {
  // `file:///C:/x` names the path `/C:/x`.
  const written = /^\/[A-Za-z]:(?:\/|$)/.test(path) ? path.slice(1) : path
  const own = windowsStart(written)
  if (own !== undefined) {
    const isSame = own.toLowerCase() === start.toLowerCase()
    return `${isSame ? start : own}${normalize(`/${written.slice(own.length)}`)}`
  }
  if (written.startsWith('/')) return `${start}${normalize(written)}`
  const whole = `${isBesideFile(written) ? folder : root}/${written}`
  return `${start}${normalize(whole.slice(start.length))}`
}

function isBesideFile(path: string): boolean {
  return /^\.\.?(\/|$)/.test(path)
}

/** The drive or share that a path on Windows begins with: `C:` or `//server/share`. */
function windowsStart(path: string): string | undefined {
  return /^(?:[A-Za-z]:(?=\/|$)|\/\/[^/]+\/[^/]+(?=\/|$))/.exec(path)?.[0]
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
