import { contentOf, keepFirstLines, keepValues, type ToolRule } from './tool-rule.js'

const range = ['start_line', 'end_line', 'total_lines', 'file_mtime_ms', 'mtime']

/** The path, the range that was read, the file's time, the notes, and the first numbered lines. */
export const readRule: ToolRule = {
  identity: ['path', ...range],
  keep(result) {
    const values = keepValues(result, { called: ['path'], found: range })
    const content = contentOf('content', result)
    return content === undefined
      ? values
      : { ...values, ...keepFirstLines('content', content, result.kept.read) }
  },
}
