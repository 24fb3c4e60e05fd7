import { type JsonObject, type Phrase, phrase, type ToolResult } from '@mutsumi/schema'
import { type Reason, readOutcome, readReason } from '@mutsumi/tools/parts'

/** The results of tools in a few words for people. Translations have the same codes. */
export const englishResults = {
  'empty-file': 'an empty file',
  'read-lines': 'lines {0} to {1} of {2}',
  count: '{0} {1!}',
  'first-count': 'the first {0} {1!}',
  'count-of': '{0} of {1} {2!}',
  match: 'match',
  matches: 'matches',
  file: 'file',
  files: 'files',
  entry: 'entry',
  entries: 'entries',
  'exit-code': 'exit code {0}',
  'exit-code-lines': 'exit code {0}, {1} {2!}',
  line: 'line',
  lines: 'lines',
  'exit-code-check': 'exit code {0}; it created or changed {1}: check them before you trust them',
} as const

export type ResultCode = keyof typeof englishResults

/** A result as data, taken from its data. Undefined if its own text has to say it. */
export function resultPhrase(name: string, result: ToolResult): Phrase | undefined {
  if (result.status !== 'error')
    return name.startsWith('mcp__') ? answered(result.text) : phrases[name]?.(result.data, result.text)
  const first = firstLine(result.error.message)
  const reason = readReason(first)
  const decision = reason?.code === 'not-permitted' ? reason.args[2] : undefined
  return isOwnDecision(decision) ? decision : (reason ?? readOutcome(first))
}

/** The user's own decision. A line for them says nothing about the call before it: they know what they refused. */
export function isOwnDecision(said: Phrase | string | undefined): said is Reason {
  return typeof said === 'object' && ownDecisions.includes(said.code)
}

const ownDecisions: readonly string[] = ['user-said-no', 'user-said-no-because', 'plan-mode']

const phrases: Readonly<Record<string, (data: JsonObject, text: string) => Phrase | undefined>> = {
  Read: ({ start_line, end_line, total_lines }) => {
    if (total_lines === 0) return said('empty-file')
    if (typeof total_lines !== 'number') return undefined
    return said('read-lines', `${start_line}`, `${end_line}`, total_lines)
  },
  Grep: (data) => counted(data, 'matches', ['match', 'matches']),
  Glob: (data) => counted(data, 'paths', ['file', 'files']),
  LS: (data) => counted(data, 'entries', ['entry', 'entries']),
  Bash: (data) => (typeof data.exit_code === 'number' ? exited(data.exit_code, data) : undefined),
  Edit: changed,
  MultiEdit: changed,
  Write: changed,
}

/**
 * How a command ended, and how many lines it wrote. Files that affect other programs and that it created or changed are
 * more important: the user should check them.
 */
function exited(code: number, data: JsonObject): Phrase {
  const { protected_changed: paths } = data
  if (Array.isArray(paths)) return said('exit-code-check', code, paths.join(', '))
  const lines = linesOf(data)
  if (lines === 0) return said('exit-code', code)
  const counted = [amount(lines), said(lines === 1 ? 'line' : 'lines')]
  // A command that wrote something and succeeded needs no word about its end.
  return code === 0 ? said('count', ...counted) : said('exit-code-lines', code, ...counted)
}

/** 0 if it wrote nothing, or if only the ends of its output are known. */
function linesOf({ output, output_lines: counted, truncated }: JsonObject): number {
  if (truncated === true) return 0
  if (typeof counted === 'number') return counted
  return typeof output === 'string' && output !== '' ? output.replace(/\n$/, '').split('\n').length : 0
}

/** The answer of a server says itself if it is one line of text. */
function answered(answer: string): Phrase | undefined {
  const text = answer.trim()
  const lines = text.split('\n').length
  if (lines === 1 && !/^[{[]/.test(text)) return undefined
  return said('count', lines, said(lines === 1 ? 'line' : 'lines'))
}

/** `5 of 720 matches` if not all are shown. */
function counted(
  data: JsonObject,
  name: string,
  [one, many]: readonly [ResultCode, ResultCode],
): Phrase | undefined {
  const list = data[name]
  if (!Array.isArray(list)) return undefined
  const { total = list.length, truncated } = data
  if (total !== list.length) return said('count-of', list.length, `${total}`, said(many))
  return said(truncated === true ? 'first-count' : 'count', list.length, said(list.length === 1 ? one : many))
}

/** Only the text has the number of lines of a new file. A session does not store it. */
function changed(_: JsonObject, text: string): Phrase | undefined {
  return readOutcome(firstLine(text))
}

/** 12 345, as everywhere in the terminal. */
function amount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}

export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

function said(code: ResultCode, ...args: readonly (string | number | Phrase)[]): Phrase {
  return phrase(code, ...args)
}
