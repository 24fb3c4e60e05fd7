import { contentOf, keepFirstLines, keepValues, type ToolRule } from './tool-rule.js'

/** The path, whether the file was created or replaced, and the first 50 lines. */
export const writeRule: ToolRule = {
  identity: ['path', 'created', 'replacements'],
  keep(result) {
    const values = keepValues(result, { called: ['path'], found: ['created', 'replacements'] })
    const written = result.argument('content')
    const text = typeof written === 'string' ? written : undefined
    const content = contentOf('content', { ...result, text })
    if (content !== undefined) return { ...values, ...keepFirstLines('content', content, 50) }
    const diff = contentOf('diff_preview', result)
    return diff === undefined ? values : { ...values, ...keepFirstLines('diff_preview', diff, 50) }
  },
}
