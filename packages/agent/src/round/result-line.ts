import { type Json, type JsonObject, safeLine, type ToolResult } from '@mutsumi/schema'

/** A result in a few words for people, as far as its data tells; else the first line of its text. */
export function resultLine(name: string, result: ToolResult): string {
  if (result.status === 'error') return cut(result.error.message)
  return cut(lines[name]?.(result.data) ?? result.text)
}

const lines: Readonly<Record<string, (data: JsonObject) => string | undefined>> = {
  Read: ({ start_line, end_line, total_lines }) =>
    typeof total_lines === 'number' ? `lines ${start_line} to ${end_line} of ${total_lines}` : undefined,
  Grep: ({ matches }) => counted(matches, 'match', 'matches'),
  Glob: ({ paths }) => counted(paths, 'file', 'files'),
  LS: ({ entries }) => counted(entries, 'entry', 'entries'),
  Bash: ({ exit_code }) => (typeof exit_code === 'number' ? `exit code ${exit_code}` : undefined),
  TodoWrite: ({ recap }) => (typeof recap === 'string' ? recap : undefined),
}

function counted(list: Json | undefined, one: string, many: string): string | undefined {
  return Array.isArray(list) ? `${list.length} ${list.length === 1 ? one : many}` : undefined
}

function cut(text: string): string {
  const [first = ''] = text.trim().split('\n', 1)
  return safeLine(first.length > 200 ? `${first.slice(0, 200)}…` : first)
}
