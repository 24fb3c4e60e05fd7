import { type ChangelogEntry, changelogFile, entryOf, readChangelog, versionPattern } from './changelog.js'
import type { Phrases } from './phrases.js'
import { patternOf, type Question } from './question.js'
import { clip, placeName, quote } from './quote.js'
import type { CitedLine, ToolWork } from './tool-result.js'

/** Answers from the changelog: what changed in a version, or the version of a change. Undefined for other questions. */
export function* lookUpChanges(question: Question, say: Phrases): ToolWork<string[] | undefined> {
  const { text, terms } = question
  const wanted = versionPattern.exec(text)?.[1]
  if (wanted === undefined && askedSince.test(text) && terms.length > 0)
    return yield* lookUpSince(question, say)
  const isGeneral = terms.every(({ forms: [form = ''] }) => general.test(form))
  if (!asked.test(text) || !(wanted !== undefined || isGeneral || newest.test(text))) return undefined
  const file = yield* changelogFile()
  if (file === undefined) return [say.noChangelog]
  const { entries } = yield* readChangelog(file)
  const entry = wanted === undefined ? (entries.find(isReleased) ?? entries[0]) : entryOf(wanted, entries)
  if (!entry) return [say.missing(wanted ?? '', `\`${file}\``), ...newestOf(entries, say)]
  const next = entries[entries.indexOf(entry) + 1]
  const limit = Math.min(next ? next.line - entry.line : 40, 40)
  const section = yield { name: 'Read', args: { path: file, start_line: entry.line, limit } }
  return [say.likely(placeOf(entry, entry)), quote(section), ...newestOf(entries, say)]
}

const asked =
  /\b(?:what(?:'s|’s| is| was| has| have)?|which|list|show)\b.*\b(?:chang(?:es?|ed)|new|changelog|release notes|fixed|added|removed|deprecated)\b|\bchangelog\b|\brelease notes\b|\bbreaking changes?\b|\bwhen was\b|有什么(?:变化|更新|改动)|(?:变更|更新)(?:日志|了什么)|改了什么/i
const newest = /\b(?:last|latest|newest|recent(?:ly)?|current)\b|最新|最近|上一?个/i
/** Words of questions about changes in general. */
const general =
  /^(?:chang|new|creat|releas|not|vers|last|latest|newest|recent|current|fix|remov|delet|deprecat|break|bug|featur|when|notabl|import|\d)|[变更改新]|版本|最/

const isReleased = ({ isUnreleased }: ChangelogEntry) => !isUnreleased
const placeOf = (line: CitedLine, entry: ChangelogEntry) => `${placeName(line)}, “${clip(entry.title, 80)}”`

function newestOf(entries: readonly ChangelogEntry[], say: Phrases): string[] {
  const list = entries.slice(0, 4).map((entry) => `- ${placeName(entry)} ${clip(entry.title, 80)}`)
  return list.length === 0 ? [] : [[say.more(entries.length), ...list].join('\n')]
}

const askedSince =
  /\b(?:when was|(?:which|what) (?:version|release)\b.*\b(?:add|introduc|remov|deprecat|dropp?|fix)|since (?:when|which|what))/i
const verbs = [
  /\badd|\bintroduc|\bnew\b|\bimplement|\bsupport/i,
  /\bremov|\bdrop(?:s|ped)?\b/i,
  /\bdeprecat/i,
  /\bfix/i,
]

/** The line of the changelog with most of the words, the oldest one of a new thing. */
function* lookUpSince({ text, terms }: Question, say: Phrases): ToolWork<string[] | undefined> {
  const file = yield* changelogFile()
  if (file === undefined) return [say.noChangelog]
  const verb = verbs.find((each) => each.test(text))
  const things = terms.filter(({ forms: [form = ''] }) => !general.test(form) && !verb?.test(form))
  const { lines, entries } = yield* readChangelog(file, patternOf(things.flatMap(({ forms }) => forms)))
  // A name is a whole word: app.del is not in "deleting".
  const patterns = things.map(({ isName, forms, pattern }) =>
    isName ? new RegExp(`\\b(?:${patternOf(forms)})\\b`) : pattern,
  )
  const found = lines.map((line) => {
    const isSaid = patterns.filter((pattern) => pattern.test(line.text.toLowerCase())).length
    return { line, score: isSaid === 0 ? 0 : isSaid * 2 + (verb?.test(line.text) ? 1 : 0) }
  })
  const most = Math.max(0, ...found.map(({ score }) => score))
  const best = found.findLast(({ score }) => score === most)
  const entry = best && entries.findLast(({ line }) => line <= best.line.line)
  if (!best || !entry || most === 0) return undefined
  const isWhole = most === things.length * 2 + 1 && things.some(({ isName }) => isName)
  const place = placeOf(best.line, entry)
  return [isWhole ? say.likely(place) : say.unsure(place), quote([entry, best.line])]
}
