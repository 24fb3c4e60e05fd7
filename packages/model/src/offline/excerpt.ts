import type { Conversation, Step } from './conversation.js'
import type { GivenFile } from './given-files.js'
import { definedName } from './rank.js'

/** Some lines of a file, with their numbers. */
export interface Excerpt extends GivenFile {
  readonly totalLines?: number
}

/** The files that the user named: what came with the question, and what was read whole; a search reads around a line. */
export function namedFiles({ given, steps }: Conversation): Excerpt[] {
  return [...steps.filter(({ args }) => args.start_line === undefined).flatMap(readExcerpt), ...given]
}

export function readExcerpt({ name, args, failed, data }: Step): Excerpt[] {
  const path = data.path ?? args.path
  if (name !== 'Read' || failed || typeof data.content !== 'string' || typeof path !== 'string') return []
  const numbered = data.content.split('\n').map((line) => /^\s*(\d+)\t(.*)$/s.exec(line))
  const firstLine = Number(numbered[0]?.[1] ?? 1)
  const totalLines = typeof data.total_lines === 'number' ? { totalLines: data.total_lines } : {}
  return [{ path, firstLine, lines: numbered.map((found) => found?.[2] ?? ''), ...totalLines }]
}

const comment = /^\s*(?:\/\/|\/?\*|#(?!\[)|--|"""|@)/

/** The lines around one of them: the comment above it, and some of what follows. */
export function passageAt({ path, lines, firstLine = 1 }: Excerpt, line: number): Excerpt {
  const at = Math.min(Math.max(line - firstLine, 0), lines.length - 1)
  let start = at
  while (start > 0 && at - start < 14 && comment.test(lines[start - 1] ?? '')) start--
  let end = at + 1
  while (end < lines.length && end - at < 10 && !endsPassage(lines, end)) end++
  return { path, firstLine: firstLine + start, lines: lines.slice(start, end) }
}

/** A blank line before something new that is defined. */
function endsPassage(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1] ?? ''
  return (
    lines[at]?.trim() === '' && (definedName(next) !== undefined || comment.test(next) || next.trim() === '')
  )
}
