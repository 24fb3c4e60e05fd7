import { isJsonObject, type Json } from '@mutsumi/schema'
import { saying } from './header-fields.js'
import type { TextRule } from './text-rule.js'

/** One path per line, folders with a slash at the end. The header has the total if not all of them are shown. */
export function listText(name: string, called: readonly string[]): TextRule {
  return (data) => {
    const { [name]: list, total, truncated, listed, ...others } = data
    const paths = Array.isArray(list) ? list.flatMap(pathOf) : []
    const isGone = Array.isArray(list) ? {} : { left_out: 'all of them' }
    const isWhole = typeof total === 'number' && paths.length >= total && truncated !== true
    const kinds = countIn(listed) > paths.length ? { listed } : {}
    const counts = isWhole ? (paths.length === 0 ? { total } : {}) : { total, ...kinds, truncated }
    const rest = Object.entries(others).filter(([key]) => !called.includes(key))
    const folder = name === 'entries' && typeof data.path === 'string' ? `${data.path}/` : ''
    const lines = paths.map((path) =>
      pathLine(folder !== '' && path.startsWith(folder) ? path.slice(folder.length) : path),
    )
    return { header: saying({ ...counts, ...isGone, ...Object.fromEntries(rest) }), body: lines.join('\n') }
  }
}

/** `2 directories, 30 files` → 32. For a complete list, the number of lines says the same. */
function countIn(listed: Json | undefined): number {
  const numbers = typeof listed === 'string' ? (listed.match(/\d+/g) ?? []) : []
  return numbers.reduce((sum, number) => sum + Number(number), 0)
}

function pathOf(entry: Json): readonly string[] {
  if (typeof entry === 'string') return [entry]
  if (!isJsonObject(entry) || typeof entry.path !== 'string') return []
  return [entry.type === 'directory' ? `${entry.path}/` : entry.path]
}

/** Always one line. A name that would look like another kind of line is quoted. */
export function pathLine(path: string): string {
  return /[\p{Cc}\u2028\u2029]|^["{]/u.test(path) ? JSON.stringify(path) : path
}
