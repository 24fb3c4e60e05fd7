import { expandBraces } from '../workspace/expand-braces.js'
import { completes, enterFolder, parseGlob } from '../workspace/glob-pattern.js'
import { isInside } from '../workspace/paths.js'

/** Which files of a search count. */
export interface IncludeFilter {
  /** `path` is absolute. */
  admits(path: string): boolean
  /** The pattern names hidden files, so that they must be looked at. */
  readonly hidden: boolean
  /** It names `node_modules`. */
  readonly packages: boolean
  /** Patterns in ripgrep's own words for the names of all files that can count; none where it has no such words. */
  readonly names: readonly string[]
  /** Which part of the pattern was left out; absent where none was. */
  readonly incomplete?: string
}

/** A pattern without a slash is about names at any depth, as in `.gitignore`. */
export function includeFilter(pattern: string | undefined, base: string): IncludeFilter {
  const whole = pattern === undefined ? '**' : pattern.includes('/') ? pattern : `**/${pattern}`
  const { steps, incomplete } = parseGlob(whole)
  const { alternatives } = expandBraces(whole)
  const names = alternatives.flatMap((alternative) => alternative.split('/'))
  return {
    ...(incomplete !== undefined && { incomplete }),
    hidden: names.some((name) => name.startsWith('.') && name !== '.' && name !== '..'),
    packages: names.includes('node_modules'),
    names: namePatterns(alternatives),
    admits(path) {
      // A file that was named itself is not judged by its name.
      if (path === base) return true
      if (!isInside(base, path)) return false
      const folders = path.slice(base === '/' ? 1 : base.length + 1).split('/')
      const name = folders.pop() ?? ''
      return completes(
        folders.reduce((rest, folder) => enterFolder(rest, folder), steps),
        name,
      )
    },
  }
}

/** Only letters that mean the same in both dialects (to ripgrep, `?` is a byte); with others, all names are looked at. */
function namePatterns(alternatives: readonly string[]): readonly string[] {
  const names = alternatives.map((alternative) => alternative.split('/').at(-1) ?? '')
  return names.every((name) => /^[\w.*-]+$/.test(name) && !/^\*+$/.test(name)) ? names : []
}
