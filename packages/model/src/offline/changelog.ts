import type { CitedLine, ToolWork } from './tool-result.js'

/** A version in a changelog: its heading. */
export interface ChangelogEntry extends CitedLine {
  readonly title: string
  readonly version: string
  readonly isUnreleased: boolean
}

export const versionPattern = /\bv?(\d+(?:\.\d+){1,3}(?:-?(?:alpha|beta|rc)[.\d]*)?)\b/

/** A changelog in the root, or among the documents. */
export function* changelogFile(): ToolWork<string | undefined> {
  for (const path of ['.', 'docs', 'doc']) {
    const entries = yield { name: 'LS', args: { path, limit: 200 } }
    const log = entries.find(({ file }) => fileName.test(file))
    if (log) return path === '.' ? log.file : `${path}/${log.file.replace(/^.*\//, '')}`
  }
  return undefined
}

const fileName =
  /(?:^|\/)(?:change(?:s|_?log)?|history|news|releases?(?:[-_]?notes)?)(?:\.(?:md|rst|txt|markdown|adoc))?$/i

const title = '(version |release |[a-z][a-z0-9_-]* )?\\[?v?\\d+\\.\\d+[^ ]*( *[-/(,:–—]| +\\d{4}| *$)'
const headings = `^(#+ *|=+ *)${title}|^${title}|^(#+ *)?\\[?unreleased`

/** The headings with a version, in their order, and the lines with these words. */
export function* readChangelog(file: string, words?: string): ToolWork<Changelog> {
  const pattern = words ? `${headings}|${words}` : headings
  const lines = yield { name: 'Grep', args: { pattern, path: file, case_sensitive: false, limit: 1000 } }
  return { lines, entries: entriesIn(lines) }
}

export interface Changelog {
  readonly lines: readonly CitedLine[]
  readonly entries: readonly ChangelogEntry[]
}

/** One that is followed by "Unreleased" is not released. */
function entriesIn(lines: readonly CitedLine[]): ChangelogEntry[] {
  return lines.flatMap((line, index): ChangelogEntry[] => {
    const name = line.text.replace(/^[#=\s]+/, '').trim()
    const number = versionPattern.exec(name)?.[1]
    if (number === undefined || name.length > 100 || !heading.test(line.text)) return []
    const next = lines[index + 1]
    const isNext = next !== undefined && next.line < line.line + 5 && /^\W*unreleased/i.test(next.text)
    return [{ ...line, title: name, version: number, isUnreleased: isNext || /unreleased/i.test(name) }]
  })
}

const heading = new RegExp(headings, 'i')

/** 4.18 is 4.18.0, and not 4.180. */
export function entryOf(wanted: string, entries: readonly ChangelogEntry[]): ChangelogEntry | undefined {
  return (
    entries.find((entry) => entry.version === wanted) ??
    entries.findLast((entry) => entry.version.startsWith(`${wanted}.`)) ??
    entries.find((entry) => wanted === `${entry.version}.0`)
  )
}
