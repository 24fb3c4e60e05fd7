import type { Phrases } from './phrases.js'
import type { Question } from './question.js'
import { clip, placeName, quote } from './quote.js'
import type { CitedLine, ToolWork } from './tool-result.js'

const asked =
  /\b(?:what(?:'s|’s| is| was| has| have)?|which|list|show)\b.*\b(?:chang(?:es?|ed)|new|changelog|release notes|fixed|added|removed|deprecated)\b.*|\bchangelog\b|\brelease notes\b|\bbreaking changes?\b|\bwhen was\b|有什么(?:变化|更新|改动)|(?:变更|更新)(?:日志|了什么)|改了什么/i
const newest = /\b(?:last|latest|newest|recent(?:ly)?|current)\b|最新|最近|上一?个/i
const version = /\bv?(\d+(?:\.\d+){1,3}(?:-?(?:alpha|beta|rc)[.\d]*)?)\b/

/** Words of questions about changes in general. */
const general =
  /^(?:chang|new|chang?elog|releas|not|vers|last|latest|newest|recent|current|fix|remov|delet|deprecat|break|bug|featur|when|notabl|import|\d)|[变更改新]|版本|最/

/** The part of the changelog that tells about a version. Undefined if that is not the question. */
export function* lookUpChanges({ text, terms }: Question, say: Phrases): ToolWork<string[] | undefined> {
  const wanted = version.exec(text)?.[1]
  const isGeneral = terms.every(({ forms: [form = ''] }) => general.test(form))
  if (!asked.test(text) || !(wanted !== undefined || isGeneral || newest.test(text))) return undefined
  const file = yield* changelogOf()
  if (file === undefined) return [say.noChangelog]
  const found = yield {
    name: 'Grep',
    args: { pattern: versionOrUnreleased, path: file, case_sensitive: false, limit: 1000 },
  }
  const entries = entriesIn(found)
  const entry = wanted === undefined ? (entries.find(isReleased) ?? entries[0]) : entryOf(wanted, entries)
  if (!entry) return [say.missing(wanted ?? '', `\`${file}\``), ...newestOf(entries, say)]
  const next = entries[entries.indexOf(entry) + 1]
  const limit = Math.min(next ? next.line - entry.line : 40, 40)
  const section = yield { name: 'Read', args: { path: file, start_line: entry.line, limit } }
  return [
    say.likely(`${placeName(entry)}, “${clip(entry.title, 80)}”`),
    quote(section),
    ...newestOf(entries, say),
  ]
}

interface Entry extends CitedLine {
  readonly title: string
  readonly version: string
  readonly isUnreleased: boolean
}

const isReleased = ({ isUnreleased }: Entry) => !isUnreleased

/** A changelog in the root, or among the documents. */
function* changelogOf(): ToolWork<string | undefined> {
  for (const path of ['.', 'docs', 'doc']) {
    const entries = yield { name: 'LS', args: { path, limit: 200 } }
    const log = entries.find(({ file }) => changelog.test(file))
    if (log) return path === '.' ? log.file : `${path}/${log.file.replace(/^.*\//, '')}`
  }
  return undefined
}

const changelog =
  /(?:^|\/)(?:change(?:s|log)?|history|news|releases?(?:[-_]?notes)?)(?:\.(?:md|rst|txt|markdown|adoc))?$/i

const title = '(version |release |[a-z][a-z0-9_-]* )?\\[?v?\\d+\\.\\d+[^ ]*( *[-/(,:–—]| +\\d{4}| *$)'
const versionOrUnreleased = `^(#+ *|=+ *)${title}|^${title}|^(#+ *)?\\[?unreleased`

/** The headings with a version, in their order. One that is followed by "Unreleased" is not released. */
function entriesIn(lines: readonly CitedLine[]): Entry[] {
  return lines.flatMap((line, index): Entry[] => {
    const name = line.text.replace(/^[#=\s]+/, '').trim()
    const number = version.exec(name)?.[1]
    if (number === undefined || name.length > 100) return []
    const next = lines[index + 1]
    const isUnreleased =
      /unreleased/i.test(name) ||
      (next !== undefined && next.line < line.line + 5 && /^\W*unreleased/i.test(next.text))
    return [{ ...line, title: name, version: number, isUnreleased }]
  })
}

/** 4.18 is 4.18.0, and not 4.180. */
function entryOf(wanted: string, entries: readonly Entry[]): Entry | undefined {
  return (
    entries.find((entry) => entry.version === wanted) ??
    entries.findLast((entry) => entry.version.startsWith(`${wanted}.`)) ??
    entries.find((entry) => wanted === `${entry.version}.0`)
  )
}

function newestOf(entries: readonly Entry[], say: Phrases): string[] {
  const list = entries.slice(0, 4).map((entry) => `- ${placeName(entry)} ${clip(entry.title, 80)}`)
  return list.length === 0 ? [] : [[say.more(entries.length), ...list].join('\n')]
}
