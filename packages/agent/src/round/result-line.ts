import { type Json, type JsonObject, safeLine, type ToolResult } from '@mutsumi/schema'

/** A result in a few words for people, taken from its data, or else the first line of its text. */
export function resultLine(name: string, result: ToolResult): string {
  if (result.status === 'error') return cut(result.error.message)
  return cut(lines[name]?.(result.data) ?? result.text)
}

const lines: Readonly<Record<string, (data: JsonObject) => string | undefined>> = {
  Read: ({ start_line, end_line, total_lines }) =>
    total_lines === 0
      ? 'an empty file'
      : typeof total_lines === 'number'
        ? `lines ${start_line} to ${end_line} of ${total_lines}`
        : undefined,
  Grep: (data) => counted(data, 'matches', ['match', 'matches']),
  Glob: (data) => counted(data, 'paths', ['file', 'files']),
  LS: (data) => counted(data, 'entries', ['entry', 'entries']),
  Bash: ({ exit_code, protected_changed: changed }) =>
    typeof exit_code === 'number' ? `exit code ${exit_code}${untrusted(changed)}` : undefined,
  TodoWrite: ({ recap }) => (typeof recap === 'string' ? recap : undefined),
}

/** Files that affect other programs and that a command created or changed. The user should check them. */
function untrusted(paths: Json | undefined): string {
  return Array.isArray(paths)
    ? `; it created or changed ${paths.join(', ')}: check them before you trust them`
    : ''
}

/** `5 of 720 matches` if not all are shown. */
function counted(data: JsonObject, name: string, [one, many]: readonly [string, string]): string | undefined {
  const list = data[name]
  if (!Array.isArray(list)) return undefined
  const { total = list.length, truncated } = data
  if (total !== list.length) return `${list.length} of ${total} ${many}`
  return `${truncated === true ? 'the first ' : ''}${list.length} ${list.length === 1 ? one : many}`
}

function cut(text: string): string {
  const [first = ''] = text.trim().split('\n', 1)
  return safeLine(first.length > 200 ? `${first.slice(0, 200)}…` : first)
}
