import type { ToolOutcome } from '../contract/define-tool.js'
import { oneLine } from '../ground/one-line.js'
import type { FoundFile, FoundLine } from './search-request.js'

export interface ChosenMatches {
  readonly files: readonly FoundFile[]
  readonly truncated: boolean
}

/** The first matches, and only those context lines that are near one of them. */
export function chooseMatches(
  files: readonly FoundFile[],
  { limit, contextLines }: { readonly limit: number; readonly contextLines: number },
): ChosenMatches {
  const chosen: FoundFile[] = []
  let room = limit
  let truncated = false
  for (const { path, lines } of files) {
    const matches = lines.filter(({ isMatch }) => isMatch)
    const kept = new Set(matches.slice(0, room).map(({ number }) => number))
    truncated ||= kept.size < matches.length
    room -= kept.size
    if (kept.size > 0) chosen.push({ path, lines: linesNear(lines, kept, contextLines) })
  }
  return { files: chosen, truncated }
}

function linesNear(
  lines: readonly FoundLine[],
  kept: ReadonlySet<number>,
  contextLines: number,
): readonly FoundLine[] {
  const isNear = ({ number }: FoundLine) =>
    [...kept].some((match) => Math.abs(match - number) <= contextLines)
  // A match beyond the limit may still be near one within it.
  return lines.filter(isNear).map((line) => ({ ...line, isMatch: kept.has(line.number) }))
}

/** Paths are in the form in which they are shown. */
export function describeMatches(
  {
    files,
    truncated,
    total,
    incomplete,
  }: ChosenMatches & { readonly total: number | undefined; readonly incomplete: readonly string[] },
  { limit, contextLines, fallback }: ShownOptions,
): ToolOutcome {
  const complete = incomplete.length === 0
  const matches = files.flatMap((file) => toMatches(file, contextLines))
  const notes = [
    ...(truncated
      ? [`the first ${limit} of ${total ?? 'very many'} matches; narrow the pattern, path or include`]
      : []),
    ...incomplete,
  ]
  const lines = [
    ...(matches.length === 0 ? ['no matches'] : []),
    ...notes,
    ...(fallback ? ['searched without ripgrep'] : []),
  ]
  return {
    status: truncated || fallback || !complete ? 'partial' : 'success',
    data: {
      matches,
      ...(total !== undefined && { total }),
      truncated: truncated || !complete,
      ...(fallback && { fallback }),
      ...(notes.length > 0 && { notes }),
    },
    text: [...files.map(toText), ...lines.map((line) => `(${line})`)].join('\n'),
  }
}

export interface ShownOptions {
  readonly limit: number
  readonly contextLines: number
  /** ripgrep could not be started. */
  readonly fallback: boolean
}

type Match = {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly before?: readonly string[]
  readonly after?: readonly string[]
}

function toMatches({ path, lines }: FoundFile, contextLines: number): Match[] {
  const near = (from: number, to: number) =>
    lines.filter(({ number }) => number >= from && number <= to).map(({ text }) => text)
  return lines
    .filter(({ isMatch }) => isMatch)
    .map(({ number, text }) => ({
      file: path,
      line: number,
      text,
      ...(contextLines > 0 && {
        before: near(number - contextLines, number - 1),
        after: near(number + 1, number + contextLines),
      }),
    }))
}

/**
 * As `rg --heading` prints it: the file, then `12:a match` and `13-a line near it`, and `--` for lines that are left
 * out.
 */
function toText({ path, lines }: FoundFile): string {
  const shown = lines.flatMap(({ number, text, isMatch }, index) => {
    const previous = lines[index - 1]
    const isGap = previous !== undefined && previous.number + 1 < number && hasContext(lines)
    return [...(isGap ? ['--'] : []), `${number}${isMatch ? ':' : '-'}${text}`]
  })
  return [oneLine(path), ...shown].join('\n')
}

function hasContext(lines: readonly FoundLine[]): boolean {
  return lines.some(({ isMatch }) => !isMatch)
}
