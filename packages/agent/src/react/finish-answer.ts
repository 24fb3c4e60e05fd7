import { isJsonObject } from '@mutsumi/schema'
import { markerAt, nextLine, skipBlank } from './markers.js'

/**
 * The answer of `Finish[…]`, from its bracket or what stands in its place. An answer may hold brackets of any kind, so
 * the one that closes it is the last unmatched one that ends a line, before the reply goes on with something else.
 *
 *     Action: Finish[the list [1, 2] is closed by ] here]
 *                   ^ at                                ^
 */
export function finishAnswer(text: string, at: number): string {
  const start = skipBlank(text, at)
  const pair = pairs.find(([open]) => text[start] === open)
  if (!pair) return finalAnswer(text, at)
  return readJsonAnswer(text.slice(start + 1, closingOf(text, start + 1, pair)).trim())
}

/** An answer without brackets: to the end of the reply, or to where it makes up an observation. */
export function finalAnswer(text: string, at: number): string {
  return readJsonAnswer(
    text
      .slice(at, lineWith(text, nextLine(text, at), ['observation']))
      .trim()
      .replace(/^[:：]\s*/, ''),
  )
}

export const pairs = ['[]', '［］', '【】', '()', '（）'] as const

/** An answer may be written as a JSON string, or as an object that holds nothing else. */
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

function closingOf(text: string, start: number, [open, close]: string): number {
  let depth = 1
  let first: number | undefined
  let last: number | undefined
  let limit = text.length
  const brackets = new RegExp(`[\\${open}\\${close}]`, 'g')
  brackets.lastIndex = start
  for (let found = brackets.exec(text); found && found.index < limit; found = brackets.exec(text)) {
    if (found[0] === open) depth++
    else if (--depth <= 0 && (depth < 0 || first === undefined)) {
      depth = 0
      if (first === undefined) limit = lineWith(text, nextLine(text, found.index), goingOn)
      first ??= found.index
      if (endsLine(text, found.index + 1)) last = found.index
    }
  }
  return last ?? first ?? unclosedEnd(text, start, close)
}

/** Where brackets do not add up, the last one that ends the reply is taken off. */
function unclosedEnd(text: string, start: number, close: string | undefined): number {
  const end = text.slice(0, lineWith(text, nextLine(text, start), goingOn)).trimEnd().length
  return text[end - 1] === close && end > start ? end - 1 : end
}

const goingOn = ['observation', 'thought', 'action', 'finish', 'final'] as const

/** Offset of the first line from `at` on that begins with such a marker, or the text's length. */
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
