import type { JsonObject } from '@mutsumi/schema'
import { safeLine } from '@mutsumi/schema'
import { saying } from './header-fields.js'
import type { TextRule } from './text-rule.js'

/**
 * Lines of a file, `12<tab>the line`. The call shows where they begin, and the numbers show where they end. So the
 * header only has the total number of lines, and only if more lines follow.
 */
export const fileText: TextRule = (data, numbers) => {
  const { path, id, content, start_line, end_line, total_lines, file_mtime_ms, mtime, ...others } = data
  const { modified_externally, notes, truncated, ...marks } = others
  const isGone = typeof content !== 'string' && marks.stale === undefined
  const said = notes ?? freshnessNote(data)
  const header = {
    ...(isGone ? { left_out: 'all lines', ...rangeOf(data) } : totalOf(data)),
    ...marks,
    ...(goesOn(data) ? {} : { truncated }),
    notes: said,
  }
  const body = typeof content === 'string' ? content : ''
  return {
    header: saying(header),
    body: numbers === 'lines' ? withoutPadding(body) : withoutNumbers(body),
    // If fewer lines than requested are shown, a note says so.
    isAsked: goesOn(data) && !(Array.isArray(said) && said.length > 0),
  }
}

/** Records of earlier versions contain the mark but not the note. */
function freshnessNote({ path, modified_externally: isModified }: JsonObject): readonly string[] {
  const name = typeof path === 'string' ? safeLine(path) : 'it'
  return isModified === true ? [`Note: ${name} was modified externally.`] : []
}

/** The file is known to have more lines after these. */
function goesOn({ end_line: end, total_lines: total }: JsonObject): boolean {
  return typeof end === 'number' && typeof total === 'number' && end < total
}

function totalOf(data: JsonObject): JsonObject {
  const { start_line: start, end_line: end, total_lines: total } = data
  const isEmpty = typeof start === 'number' && typeof end === 'number' && end < start
  return isEmpty || goesOn(data) ? { total: total ?? 0 } : {}
}

function rangeOf({ start_line: start, end_line: end, total_lines: total }: JsonObject): JsonObject {
  if (typeof start !== 'number' || typeof end !== 'number') return {}
  return {
    lines: start === end ? `${start}` : `${start}-${end}`,
    ...(typeof total === 'number' && { total }),
  }
}

/** Older records pad their numbers. */
function withoutPadding(content: string): string {
  return content.startsWith(' ') ? content.replace(/(^|\n) +(?=\d+\t)/g, '$1') : content
}

function withoutNumbers(content: string): string {
  return content.replace(/(^|\n) *\d+\t/g, '$1')
}
