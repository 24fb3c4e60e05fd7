/**
 * The words with which lines of ReAct text begin. Models write them in bold, in lower case, as headings, numbered,
 * with a full-width colon, in Chinese. If they are indented by four spaces or quoted with `>`, they are an example and
 * do not count. `foreign` is the beginning of a call in a form that a model was trained to write.
 */
export interface Marker {
  readonly kind: 'thought' | 'action' | 'input' | 'final' | 'finish' | 'observation' | 'foreign'
  /** Offset of its line. */
  readonly start: number
  /** Offset after the marker. For `finish` this is before its bracket, for `foreign` before its first mark. */
  readonly end: number
}

const before = String.raw` {0,3}(?:#{1,6} {1,3})?(?:<(?:b|strong)>|[*_\x60]{0,3})`
const endOfBold = String.raw`(?:</(?:b|strong)>|[*_\x60]{0,3})`
const after = String.raw`[ \t]{0,3}\d{0,3}${endOfBold}[ \t]{0,3}[:：](?:</(?:b|strong)>|[*_]{0,3})`
const actionWords = 'action|行动|行動|动作|動作'

/** A heading on its own line, without a colon. */
const actionHeading = String.raw`(?: {0,3}#{1,6} {1,3}[*_]{0,3}|[*_]{2,3})(?:${actionWords})[*_]{0,3}[ \t]{0,3}\r?\n`
/** Matches the line below such a heading if it is an action, with or without a fence. */
const callAhead = String.raw`(?:\x60{3}[^\n\x60]{0,20}\n)?[*\x60]{0,3}(?:finish[*\x60]{0,3}\[|[\p{L}_][\p{L}\p{N}_.-]{0,99}[*\x60]{0,3}[[(（［【]\s{0,9}[{\]])`

const isHeading = new RegExp(actionHeading, 'iuy')

/**
 * The first run of a pattern compiles it, which takes longer than reading a whole reply. So a pattern is only tried on
 * lines whose first letter is one of `letters`. `only` must match before the pattern, which covers every letter.
 */
const markers: readonly {
  readonly kind: Marker['kind']
  readonly letters: string
  readonly pattern: RegExp
  readonly only?: RegExp
}[] = [
  { kind: 'thought', letters: 't思想', pattern: marker('thoughts?|思考|想法|思路') },
  { kind: 'action', letters: 'a行动動', pattern: marker(actionWords) },
  {
    kind: 'action',
    letters: 'a行动動',
    pattern: new RegExp(String.raw`${actionHeading}\s{0,9}(?=${callAhead})`, 'iuy'),
    only: isHeading,
  },
  {
    kind: 'input',
    letters: 'ai行动参',
    pattern: marker('action[ _]?input|arguments|args|input|行动输入|动作输入|参数'),
  },
  { kind: 'final', letters: 'f最', pattern: marker('final[ _]answer|最终答案|最终回答|最終答案') },
  {
    kind: 'finish',
    letters: 'f',
    pattern: new RegExp(String.raw`${before}Finish[*_\x60]{0,3}(?=[ \t]{0,3}[[［【])`, 'y'),
  },
  {
    kind: 'observation',
    letters: 'ot观觀',
    pattern: marker('observations?|tool (?:result|response|output)|观察(?:结果)?|觀察'),
  },
  { kind: 'observation', letters: '[\\', pattern: / {0,3}\\?\[(?:tool|user|system|assistant)\]/iy },
  { kind: 'observation', letters: '<', pattern: / {0,3}<(?:tool_(?:response|result)|function_results?)>/iy },
  {
    kind: 'foreign',
    letters: '<[',
    pattern:
      / {0,3}(?=<(?:antml:)?(?:tool_calls?|tool_use|tool_code|function_?calls?)>|<(?:antml:)?invoke name=|<function=|<\|(?:python_tag|tool_calls?|tool_call_begin|tool_calls_section_begin|channel)\|>|<｜tool▁calls?▁begin｜>|<[｜|]DSML[｜|]|\[TOOL_CALLS\]|\[TOOL_REQUEST\])/iuy,
  },
]

function marker(words: string): RegExp {
  return new RegExp(`${before}(?:${words})${after}`, 'iuy')
}

/** The marker with which the line at `start` begins, if it begins with one. */
export function markerAt(text: string, start: number): Marker | undefined {
  const letter = firstLetter(text, start)
  for (const { kind, letters, pattern, only } of markers) {
    // After `<` a tag for bold type may come before the word.
    if (letter === '' || (letter !== '<' && !letters.includes(letter))) continue
    if (only && !fits(only, text, start)) continue
    if (fits(pattern, text, start)) return { kind, start, end: pattern.lastIndex }
  }
  return undefined
}

/** The first character of a line after blanks and marks, in lower case; empty if no pattern allows so many of them. */
function firstLetter(text: string, start: number): string {
  let at = start
  while (at - start < 20 && ' #*_`'.includes(text.charAt(at) || 'x')) at++
  return at - start < 20 ? text.charAt(at).toLowerCase() : ''
}

function fits(pattern: RegExp, text: string, start: number): boolean {
  pattern.lastIndex = start
  return pattern.test(text)
}

/** Whether the line at `start` is a heading that may precede an action. */
export function isActionHeading(text: string, start: number): boolean {
  return fits(isHeading, text, start)
}

const fence = / {0,3}(`{3,}|~{3,})[^\n`]*(?=\n|$)/y

/** The marks of the code fence on the line at `start`, or the empty string. */
export function fenceAt(text: string, start: number): string {
  fence.lastIndex = start
  return fence.exec(text)?.[1] ?? ''
}

/** Offset of the line after the one at `at`, or the text's length. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}

/** Offset of the line that closes the fence opened at `start`, or the text's length. */
export function fenceEnd(text: string, start: number): number {
  const marks = fenceAt(text, start)
  for (let at = nextLine(text, start); at < text.length; at = nextLine(text, at))
    if (closesFence(text, at, marks)) return at
  return text.length
}

/** Whether the line at `at` closes a fence that was opened with these marks. */
export function closesFence(text: string, at: number, marks: string): boolean {
  const closing = fenceAt(text, at)
  return closing.startsWith(marks) && isBlank(text.slice(at, nextLine(text, at)).replace(closing, ''))
}

/** Whether an incomplete line may become a fence. */
export function beginsFence(line: string): boolean {
  return /^ {0,3}(?:`{3}|~{3})/.test(line)
}

const closingFence = /\s*(?:`{3,}|~{3,})[ \t\r]*(?=\n|$)/y

/** Whether the reply ends at `at`: only the end of its fence or an observation may follow. */
export function isLast(text: string, at: number): boolean {
  closingFence.lastIndex = at
  const after = skipBlank(text, closingFence.test(text) ? closingFence.lastIndex : at)
  return after >= text.length || markerAt(text, after)?.kind === 'observation'
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The first non-blank offset from `at` on. */
export function skipBlank(text: string, at: number): number {
  blank.lastIndex = at
  blank.test(text)
  return blank.lastIndex
}

const blank = /\s*/y

const spelled = [
  'thoughts',
  'action',
  'final answer',
  'finish',
  'observations',
  'tool result',
  'tool response',
  'tool output',
  ...[
    '思考',
    '想法',
    '思路',
    '行动',
    '行動',
    '动作',
    '動作',
    '最终答案',
    '最终回答',
    '最終答案',
    '观察结果',
    '觀察',
  ],
  ...['[tool]', '[user]', '[system]', '[assistant]', '[tool_calls]', '[tool_request]'],
]

/** Whether the last line of a growing text may still turn out to begin with a marker. */
export function mayBecomeMarker(text: string, start: number): boolean {
  if (text.indexOf('\n', start) !== -1 || text.length - start > 60) return false
  const line = text
    .slice(start)
    .replace(/^(?:[ #*_`\\]|<(?:b|strong)>)+|(?:[\d*_`\t ]|<[/a-z]{0,8}>?)+$/gi, '')
    .toLowerCase()
  return line.startsWith('<') || spelled.some((words) => words.startsWith(line))
}
