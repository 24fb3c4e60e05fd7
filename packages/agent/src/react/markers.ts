/**
 * The words with which lines of ReAct text begin. Models write them in bold, in lower case, as headings, numbered, with
 * a full-width colon, in Chinese. Indented by four or quoted with `>` they are an example, and count for nothing.
 */
export interface Marker {
  readonly kind: 'thought' | 'action' | 'input' | 'final' | 'finish' | 'observation'
  /** Offset of the line that it begins. */
  readonly start: number
  /** Offset behind the marker: for `finish` before its bracket. */
  readonly end: number
}

const before = String.raw` {0,3}(?:#{1,6} {1,3})?[*_\x60]{0,3}`
const behind = String.raw`[ \t]{0,3}\d{0,3}[*_\x60]{0,3}[ \t]{0,3}[:：][*_]{0,3}`

const markers = [
  { kind: 'thought', pattern: marker('thoughts?|思考|想法|思路') },
  { kind: 'action', pattern: marker('action|行动|行動|动作|動作') },
  { kind: 'input', pattern: marker('action[ _]?input|arguments|args|input|行动输入|动作输入|参数') },
  { kind: 'final', pattern: marker('final[ _]answer|最终答案|最终回答|最終答案') },
  {
    kind: 'finish',
    pattern: new RegExp(String.raw`${before}Finish[*_\x60]{0,3}(?=[ \t]{0,3}[[［【])`, 'y'),
  },
  {
    kind: 'observation',
    pattern: marker('observations?|tool (?:result|response|output)|观察(?:结果)?|觀察'),
  },
  { kind: 'observation', pattern: / {0,3}\\?\[(?:tool|user|system|assistant)\]/iy },
] as const

function marker(words: string): RegExp {
  return new RegExp(`${before}(?:${words})${behind}`, 'iuy')
}

/** The marker with which the line at `start` begins, if it begins with one. */
export function markerAt(text: string, start: number): Marker | undefined {
  for (const { kind, pattern } of markers) {
    pattern.lastIndex = start
    if (pattern.test(text)) return { kind, start, end: pattern.lastIndex }
  }
  return undefined
}

const fence = / {0,3}(`{3,}|~{3,})[^\n`]*(?=\n|$)/y

/** The marks of the code fence that the line at `start` is, or the empty string. */
export function fenceAt(text: string, start: number): string {
  fence.lastIndex = start
  return fence.exec(text)?.[1] ?? ''
}

/** Offset of the line behind the one at `at`, or the text's length. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}

/** Offset of the line that closes the fence opened at `start`, or the text's length. */
export function fenceEnd(text: string, start: number): number {
  const marks = fenceAt(text, start)
  for (let at = nextLine(text, start); at < text.length; at = nextLine(text, at)) {
    const closing = fenceAt(text, at)
    if (closing.startsWith(marks) && isBlank(text.slice(at, nextLine(text, at)).replace(closing, '')))
      return at
  }
  return text.length
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The first offset from `at` on where something stands. */
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
  ...['[tool]', '[user]', '[system]', '[assistant]'],
]

/** Whether the last line of a text that still grows may yet turn out to begin with a marker. */
export function mayBecomeMarker(text: string, start: number): boolean {
  if (text.indexOf('\n', start) !== -1 || text.length - start > 60) return false
  const line = text
    .slice(start)
    .replace(/^[ #*_`\\]+|[\d*_`\t ]+$/g, '')
    .toLowerCase()
  return spelled.some((words) => words.startsWith(line))
}
