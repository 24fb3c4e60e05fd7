import { isJsonObject } from '@mutsumi/schema'
import { fenceEnd, markerAt, nextLine, skipBlank } from './markers.js'
import { bad, type ReadAction } from './read-action.js'

/**
 * The answer in `Finish[…]`, read from its bracket or from the mark used instead. An answer may contain brackets of
 * any kind. So its closing bracket is the last unmatched one that ends a line, before the reply continues with
 * something else.
 *
 *     Action: Finish[the list [1, 2] is closed by ] here]
 *                   ^ at                                ^
 *
 * An answer without a closing bracket ends with the reply. If a line of another kind follows, that line may or may not
 * belong to the answer. Then the model gets an error, and nothing is cut off silently.
 */
export function finishAnswer(text: string, at: number): ReadAction {
  const start = skipBlank(text, at)
  const pair = pairs.find(([open]) => text[start] === open)
  if (!pair) return unbracketedAnswer(text, at)
  const closing = closingOf(text, start + 1, pair)
  if (closing === undefined) return unclear(text, lineWith(text, nextLine(text, start), goingOn))
  const end = text[closing] === pair[1] ? closing + 1 : closing
  return { kind: 'finish', answer: readJsonAnswer(text.slice(start + 1, closing).trim()), end }
}

/** An answer without brackets: to the end of the reply. */
export function unbracketedAnswer(text: string, at: number): ReadAction {
  const observation = lineWith(text, nextLine(text, at), ['observation'])
  if (observation < text.length) return unclear(text, observation)
  const answer = text
    .slice(at)
    .trim()
    .replace(/^[:：]\s*/, '')
  return { kind: 'finish', answer: readJsonAnswer(answer), end: text.length }
}

function unclear(text: string, line: number): ReadAction {
  const word = /\[\w+\]|\p{L}+/u.exec(text.slice(line, line + 60))?.[0] ?? ''
  return bad(
    `your answer has no closing bracket, and a later line begins with "${word}". Close the answer with ], and do not begin any of its lines with that word`,
  )
}

export const pairs = ['[]', '［］', '【】', '()', '（）'] as const

/** An answer may be written as a JSON string, or as an object that contains only the answer. */
export function readJsonAnswer(answer: string): string {
  if (!/^["{]/.test(answer)) return answer
  try {
    const value: unknown = JSON.parse(answer)
    if (typeof value === 'string') return value
    const [entry, ...others] = isJsonObject(value) ? Object.entries(value) : []
    return entry && others.length === 0 && answerKeys.has(entry[0]) && typeof entry[1] === 'string'
      ? entry[1]
      : answer
  } catch {
    // It only began like JSON.
    return answer
  }
}

const answerKeys = new Set([
  'answer',
  'final_answer',
  'result',
  'output',
  'response',
  'text',
  'content',
  'message',
])

/** Offset of the bracket that closes the answer, or of its end; undefined if neither is clear. */
function closingOf(text: string, start: number, pair: string): number | undefined {
  let first: number | undefined
  let last: number | undefined
  let limit = text.length
  for (const at of unmatchedClosings(text, start, pair)) {
    if (at >= limit) break
    if (first === undefined) limit = lineWith(text, nextLine(text, at), goingOn)
    first ??= at
    if (endsLine(text, at + 1)) last = at
  }
  if (last !== undefined) return last
  const end = text.slice(0, limit).trimEnd().length - 1
  // No unmatched bracket ends a line, but the last bracket may still close the answer.
  if (first !== undefined && text[end] !== pair[1]) return first
  return unclosedEnd(text, start, pair[1])
}

/**
 * The closing brackets without an opening one in the answer. Brackets in code, fenced or between backticks, do not
 * count.
 */
function* unmatchedClosings(text: string, start: number, [open, close]: string): Generator<number> {
  const tokens = new RegExp(`\\n {0,3}(?:\`{3,}|~{3,})|\`[^\`\\n]*\`|[\\${open}\\${close}]`, 'g')
  tokens.lastIndex = start
  let depth = 0
  let mayBeFenced = true
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    if (found[0] === open) depth++
    else if (found[0] === close && depth > 0) depth--
    else if (found[0] === close) yield found.index
    else if (found[0].startsWith('\n')) {
      const end: number = mayBeFenced ? fenceEnd(text, found.index + 1) : text.length
      // A fence that is not closed may belong to the text around the action. Searching again would take quadratic
      // time.
      mayBeFenced = end < text.length
      if (mayBeFenced) tokens.lastIndex = nextLine(text, end) - 1
    }
  }
}

/** If brackets do not match, the last bracket at the end of the reply is removed. */
function unclosedEnd(text: string, start: number, close: string | undefined): number | undefined {
  const limit = lineWith(text, nextLine(text, start), goingOn)
  const end = text.slice(0, limit).trimEnd().length
  if (text[end - 1] === close && end > start) return end - 1
  return limit < text.length ? undefined : end
}

const goingOn = ['observation', 'thought', 'action', 'finish', 'final'] as const

/** Offset of the first line from `at` on that begins with one of these markers, or the text's length. */
function lineWith(text: string, at: number, kinds: readonly string[]): number {
  for (let line = at; line < text.length; line = nextLine(text, line))
    if (kinds.includes(markerAt(text, line)?.kind ?? '')) return line
  return text.length
}

const lineEnd = /[ \t*_`.。]*(?:\r?\n|$)/y

function endsLine(text: string, at: number): boolean {
  lineEnd.lastIndex = at
  return lineEnd.test(text)
}
