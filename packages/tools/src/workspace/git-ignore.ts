import type { Ignore } from 'ignore'

/** The ignore rules of git, from the `.gitignore` files read so far. */
export interface IgnoreRules {
  /** The folder that all rules are relative to, with a slash at the end. */
  readonly base: string
  /** Absent until a file is found. */
  readonly rules?: Ignore
  /** The source of `rules`, as the lines of one file in `base`. */
  readonly lines?: readonly string[]
}

/** Adds the `.gitignore` of one folder. Deeper files come later, so they win, as in git. */
export async function withIgnoreFile(above: IgnoreRules, folder: string, text: string): Promise<IgnoreRules> {
  // Loaded only in a project that has such a file.
  const { default: ignore } = await import('ignore')
  const rules = ignore({ ignorecase: process.platform !== 'linux' })
  if (above.rules) rules.add(above.rules)
  const lines = anchorLines(text, folder.slice(above.base.length))
  rules.add(lines)
  return { base: above.base, rules, lines: [...(above.lines ?? []), ...lines] }
}

/** `path` is absolute; a folder's ends with a slash. */
export function isIgnored({ base, rules }: IgnoreRules, path: string): boolean {
  return rules?.ignores(path.slice(base.length)) === true
}

/**
 * Rewrites a nested file's lines for the root's file, because one list decides like git and a chain of lists does not:
 * `sub/.gitignore` with `!build` must win over the root's `build`.
 */
function anchorLines(text: string, folder: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => !isHostile(line))
  return folder === '' ? lines : lines.flatMap((line) => anchorLine(line, escapeGlob(folder)))
}

/**
 * `ignore` turns each line into a pattern that may backtrack: three stars in one name cost 8 ms for each long name
 * that almost matches, four cost 200 ms. Only an attacker needs that many.
 */
export function isHostile(line: string): boolean {
  return line.length > 1000 || starsIn(line) > 4 || line.split('/').some((name) => starsIn(name) > 2)
}

function starsIn(text: string): number {
  return text.match(/\*+/g)?.length ?? 0
}

function anchorLine(line: string, folder: string): string[] {
  if (line.trim() === '' || line.startsWith('#')) return []
  const negation = line.startsWith('!') ? '!' : ''
  const pattern = line.slice(negation.length)
  // Only a slash before the end binds a pattern to its folder.
  const isTied = /\/(?!\s*$)/.test(pattern)
  return [`${negation}/${folder}${isTied ? pattern.replace(/^\//, '') : `**/${pattern}`}`]
}

function escapeGlob(folder: string): string {
  return folder.replace(/[\\[\]*?!# ]/g, '\\$&')
}
