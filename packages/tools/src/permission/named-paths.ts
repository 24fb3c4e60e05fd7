import type { SimpleCommand } from '../command-line/command-line.js'
import type { ShellWord } from '../command-line/shell-word.js'
import { couldMeanProtected } from '../protected/protected-paths.js'
import { isProtectedLocation, type Location, type PathWorld } from './judge-path.js'

/** More letters than any program has options. After more, it is unclear where the path begins. */
const clusterLimit = 40

/** The paths that a word may name: itself, and those in `--file=path`, `-opath`, `-xzopath`, `a:b`. */
export function pathsIn(word: string): readonly string[] {
  const parts = word.split(/[=:,@]/)
  return [...new Set([word, ...parts.slice(1), word.slice(word.indexOf('=') + 1), ...suffixes(word)])].filter(
    (path) => path !== '',
  )
}

/** `t.git/hooks` and `.git/hooks` of `-ft.git/hooks`. */
function suffixes(word: string): string[] {
  const letters = /^-([A-Za-z\d]+)/.exec(word)?.[1] ?? ''
  return Array.from({ length: Math.min(letters.length, clusterLimit) }, (_, at) => word.slice(at + 2))
}

/** True if a word names something protected, or might. */
export function namesProtected(word: ShellWord, locate: Locate, world: PathWorld): boolean {
  if (/^-[A-Za-z\d]{41}/.test(word.text)) return true
  return pathsIn(word.text).some((text) => {
    if (word.certainty !== 'literal' && couldMeanProtected(text)) return true
    const location = locate(text)
    return location !== undefined && isProtectedLocation(location, world)
  })
}

/** The target of a word, relative to the command's folder. */
export type Locate = (word: string) => Location | undefined

/** The cost of judging a line: each of these is looked up on disk. */
export function countPaths(commands: readonly SimpleCommand[]): number {
  const paths = new Set<string>()
  for (const { words, assignments } of commands)
    for (const { text } of [...words, ...assignments]) for (const path of pathsIn(text)) paths.add(path)
  return paths.size
}
