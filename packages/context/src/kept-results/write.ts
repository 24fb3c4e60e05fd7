import { changedLines } from './changed-lines.js'
import { contentOf, keepFirstLines, keepValues, supplement, type ToolRule } from './tool-rule.js'

const found = ['created', 'replacements', 'changed_lines', 'file_mtime_ms']

/** The path, whether the file was created or replaced, which lines changed, and the first lines. */
export const writeRule: ToolRule = {
  identity: ['path', ...found],
  keep(result) {
    const { created, diff_preview: preview } = result.data
    const isChange = created !== true && typeof preview === 'string'
    const counted = isChange ? supplement(result, changedLines(preview)) : result
    const values = keepValues(counted, { called: ['path'], found })
    const written = result.argument('content')
    const text = typeof written === 'string' ? written : undefined
    const content = contentOf('content', { ...result, text })
    if (content !== undefined) return { ...values, ...keepFirstLines('content', content, result.kept.write) }
    const diff = contentOf('diff_preview', result)
    return diff === undefined
      ? values
      : { ...values, ...keepFirstLines('diff_preview', diff, result.kept.write) }
  },
}
