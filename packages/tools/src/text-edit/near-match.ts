import { outcomeText } from '../reasons/outcome.js'
import { commonEnds } from './common-ends.js'

/** Describes the nearest place of a text that was not found, and what differs there. */
export function explainMiss(text: string, wanted: string): string {
  const lines = text.split('\n')
  const wantedLines = wanted.split('\n')
  if (wantedLines.every((line) => line === '' || /^ *\d+\t/.test(line)))
    return outcomeText('line-numbers-included')
  const nearest = alignedPlace(lines, wantedLines) ?? similarPlace(lines, wantedLines)
  if (nearest === undefined) return outcomeText('nothing-similar')
  return describePlace(lines, wantedLines, nearest)
}

/** The work is limited: a hint is not worth a second. */
const searchedLines = 20_000
const searchedLength = 200
const votesPerLine = 200
const leastSimilarity = 0.5

/** The line from which most lines match except for white space; undefined if there is none. */
function alignedPlace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const places = placesByLine(lines)
  const votes = new Map<number, number>()
  for (const [index, line] of wanted.slice(0, searchedLines).entries())
    for (const place of places.get(squeeze(line)) ?? []) {
      const start = place - index
      if (start >= 0) votes.set(start, (votes.get(start) ?? 0) + 1)
    }
  return highest(votes)
}

function placesByLine(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [index, line] of lines.slice(0, searchedLines).entries()) {
    const key = squeeze(line)
    const known = places.get(key)
    if (key === '') continue
    if (known === undefined) places.set(key, [index])
    else if (known.length < votesPerLine) known.push(index)
  }
  return places
}

/** If no line matches: the line that shares the most letter pairs with the longest wanted line. */
function similarPlace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line, index) => (line.length > length(wanted, best) ? index : best), 0)
  const pairs = pairsOf(wanted[longest] ?? '')
  const scores = new Map<number, number>()
  for (const [index, line] of lines.slice(0, searchedLines).entries()) {
    const score = similarity(pairs, pairsOf(line))
    if (score >= leastSimilarity && index >= longest) scores.set(index - longest, score)
  }
  return highest(scores)
}

function length(lines: readonly string[], index: number): number {
  return lines[index]?.length ?? 0
}

function pairsOf(line: string): Set<string> {
  const letters = line.trim().slice(0, searchedLength).toLowerCase()
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  )
}

/** Dice's coefficient: 1 if all pairs are shared, 0 if none is. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0
  let shared = 0
  for (const pair of one) if (other.has(pair)) shared++
  return (2 * shared) / (one.size + other.size)
}

function highest(scores: ReadonlyMap<number, number>): number | undefined {
  let best: number | undefined
  for (const [place, score] of scores) if (best === undefined || score > (scores.get(best) ?? 0)) best = place
  return best
}

function describePlace(lines: readonly string[], wanted: readonly string[], start: number): string {
  const isLast = (index: number) => index === wanted.length - 1
  const fits = (line: string, index: number) =>
    // The first and the last line of a text may be parts of lines.
    line === lines[start + index] ||
    (index === 0 && !isLast(0) && lines[start]?.endsWith(line)) ||
    (index > 0 && isLast(index) && lines[start + index]?.startsWith(line))
  const at = Math.max(
    0,
    wanted.findIndex((line, index) => !fits(line, index)),
  )
  const nearest = `the nearest is at line ${start + 1}`
  const found = lines[start + at]
  if (found === undefined) return `${nearest}, but old_string continues after the end of the file`
  return `${nearest}; line ${start + at + 1} differs${describeDifference(found, wanted[at] ?? '')}`
}

function describeDifference(found: string, wanted: string): string {
  const kind =
    squeeze(found) === squeeze(wanted) ? ` only in white space (${nameWhiteSpace(found, wanted)})` : ''
  const { start } = commonEnds(found, wanted)
  return `${kind}: the file has ${excerpt(found, start)}, old_string has ${excerpt(wanted, start)}`
}

function nameWhiteSpace(found: string, wanted: string): string {
  if (found.trimEnd() === wanted.trimEnd()) return 'at its end'
  if (found.trim() !== wanted.trim()) return 'within the line'
  const indent = (line: string) => line.slice(0, line.length - line.trimStart().length)
  return indent(found).includes('\t') === indent(wanted).includes('\t')
    ? 'its indentation'
    : 'tabs and spaces'
}

const excerptLength = 80

/**
 * Quoted, with escapes, so that tabs and spaces can be distinguished. If it is long, only the part around the first
 * difference.
 */
function excerpt(line: string, difference: number): string {
  const from = line.length <= excerptLength ? 0 : Math.max(0, difference - excerptLength / 4)
  const shown = line.slice(from, from + excerptLength)
  const end = from + excerptLength < line.length ? '…' : ''
  return `${from > 0 ? '…' : ''}${JSON.stringify(shown)}${end}`
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, ' ')
}
