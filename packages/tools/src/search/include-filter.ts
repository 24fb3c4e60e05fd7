import { expandBraces } from '../workspace/expand-braces.js'
import { completes, enterFolder, parseGlob } from '../workspace/glob-pattern.js'
import { isInside } from '../workspace/paths.js'

/** Selects the files of a search. */
export interface IncludeFilter {
  /** `path` is absolute. */
  admits(path: string): boolean
  /** The pattern names hidden files, so they must be searched. */
  readonly hidden: boolean
  /** It names `node_modules`. */
  readonly packages: boolean
  /** ripgrep patterns for the names of all files that can match; undefined if ripgrep cannot express them. */
  readonly names: readonly string[]
  /** The part of the pattern that was left out; absent if none was. */
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
      // A file that was given directly is not filtered by its name.
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

/**
 * Only characters with the same meaning in both dialects (for ripgrep, `?` is a byte). With others, all names are
 * checked here.
 */
function namePatterns(alternatives: readonly string[]): readonly string[] {
  const names = alternatives.map((alternative) => alternative.split('/').at(-1) ?? '')
  return names.every((name) => /^[\w.*-]+$/.test(name) && !/^\*+$/.test(name)) ? names : []
}
