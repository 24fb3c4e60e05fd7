import { changedLines } from './changed-lines.js'
import { contentOf, keepFirstLines, keepValues, supplement, type ToolRule } from './tool-rule.js'

const found = ['created', 'replacements', 'changed_lines', 'file_mtime_ms']

/** The path, whether it was applied, which lines are new, and the first lines of the diff. */
export const editRule: ToolRule = {
  identity: ['path', ...found],
  keep(result) {
    const diff = contentOf('diff_preview', result)
    if (diff === undefined) return keepValues(result, { called: ['path'], found })
    const values = keepValues(supplement(result, changedLines(diff)), { called: ['path'], found })
    return { ...values, ...keepFirstLines('diff_preview', diff, result.kept.edit) }
  },
}
