import { changedLines } from '../kept-results/changed-lines.js'
import { saying } from './header-fields.js'
import type { TextRule } from './text-rule.js'

/**
 * Says that a change was made, and which lines are new. The model wrote the text itself, so it is not repeated. For a
 * dry run, the diff is shown.
 */
export const changeText: TextRule = (data) => {
  const {
    path,
    content,
    diff_preview: diff,
    left_out,
    changed_lines,
    created,
    replacements,
    ...others
  } = data
  const { applied, dry_run, file_mtime_ms: _, ...marks } = others
  const preview = typeof diff === 'string' ? diff : ''
  const lines = changed_lines ?? (created === true ? undefined : changedLines(preview).changed_lines)
  const header = {
    ...(typeof applied === 'boolean' && { applied }),
    ...saying({
      created,
      ...(created === true ? {} : { lines }),
      ...several(replacements),
      dry_run,
      ...marks,
    }),
  }
  return { header, body: dry_run === true ? preview : '' }
}

/** One replacement is the expected case. */
function several(replacements: unknown): { readonly replacements?: number } {
  return typeof replacements === 'number' && replacements > 1 ? { replacements } : {}
}
