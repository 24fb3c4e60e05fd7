import { type Phrases, phrases } from './phrases.js'
import { isFile, nameTerm, type Question } from './question.js'
import { beginningOf, clip, passageAt, placeName, quote } from './quote.js'
import { definedName, type FoundPlace, holds, importing, isDocument, rankPlaces } from './rank.js'
import { findEvidence, findFacts, findMentions, inDocuments } from './search.js'
import type { Call, CitedLine, Result, ToolWork } from './tool-result.js'

type Way = (question: Question, say: Phrases) => ToolWork<string[]>

/** How a question is answered: each kind of question has its own way through the workspace. */
const ways: Readonly<Record<Exclude<Question['kind'], 'about'>, Way>> = {
  overview: introduce,
  path: showPaths,
  tests: listPlaces,
  uses: listPlaces,
  what: lookUp,
  where: lookUp,
}

export function* answer(question: Question): ToolWork<string> {
  const say = phrases[question.language]
  if (question.kind === 'about') return say.about
  const parts = yield* ways[question.kind](question, say)
  return [...(question.isOrder ? [say.cannotChange] : []), ...parts, say.note].join('\n\n')
}

/** The README, or what there is. */
function* introduce(question: Question, say: Phrases): ToolWork<string[]> {
  const [readme] = (yield { name: 'Glob', args: { pattern: '{README,Readme,readme}*' } }).lines
  return yield* showPaths({ ...question, paths: [readme?.file ?? '.'] }, say)
}

/** The files and folders that the question names: the lines that it asks for, or what there is in them. */
function* showPaths(question: Question, say: Phrases): ToolWork<string[]> {
  const found: string[] = []
  const missing: string[] = []
  for (const path of question.paths) {
    const file = path.includes('*') ? undefined : yield* open(path)
    const parts = file?.failed === false ? outline(file, question, say) : yield* showFolder(path, say)
    if (parts.length > 0) found.push(...parts)
    else missing.push(path)
  }
  const told = missing.map((path) => say.notThere(placeName({ file: path })))
  if (found.length > 0) return [...found, ...told]
  const terms = [...question.terms, ...missing.map(nameTerm)]
  return [...told, ...(yield* lookUp({ ...question, kind: 'what', terms }, say))]
}

/** A file; if there is none, the nearest of that name. */
function* open(path: string): ToolWork<Result> {
  const read = yield { name: 'Read', args: { path } }
  if (!read.failed || !isFile(path)) return read
  const pattern = `**/${path.slice(path.lastIndexOf('/') + 1)}`
  const found = (yield { name: 'Glob', args: { pattern, limit: 50 } }).lines.map(({ file }) => file)
  const [nearest] = found.sort((one, other) => one.length - other.length)
  return nearest === undefined ? read : yield { name: 'Read', args: { path: nearest } }
}

function* showFolder(path: string, say: Phrases): ToolWork<string[]> {
  if (isFile(path)) return []
  if (path.includes('*')) return yield* list({ name: 'Glob', args: { pattern: path, limit: 200 } }, say)
  const introduction = beginningOf((yield { name: 'Read', args: { path: `${path}/README.md` } }).lines)
  const [first] = introduction
  const told = first ? [say.from(placeName(first), ''), quote(introduction)] : []
  return [...told, ...(yield* list({ name: 'LS', args: { path, limit: 200 } }, say))]
}

function* list(call: Call, say: Phrases): ToolWork<string[]> {
  const { failed, lines, total } = yield call
  const names = lines.map(({ file }) => clip(file, 200)).sort()
  const rest = total - Math.min(names.length, mostItems)
  const items = [...names.slice(0, mostItems), ...(rest > 0 ? [`… (${rest})`] : [])]
  const listed = placeName({ file: String(call.args.pattern ?? call.args.path) })
  return failed ? [] : [[say.list(listed, total), ...items].join('\n- ')]
}

const mostItems = 30

function outline({ lines, total }: Result, question: Question, say: Phrases): string[] {
  const terms = question.terms.filter((term) => lines.some(({ text }) => holds(text, term)))
  const [best] = rankPlaces({ ...question, terms }, lines)
  const shown = best ? passageAt(lines, best) : beginningOf(lines)
  const tops = lines.filter((line) => isTop(line, shown) && definedName(line) && !importing.test(line.text))
  const parts = tops.slice(0, mostItems).map((line) => `${placeName(line)} ${definedName(line)}`)
  return [
    ...(best ? [leadTo(best, say), quote(shown)] : []),
    say.length(placeName({ file: lines[0]?.file ?? question.paths[0] ?? '' }), total),
    ...(best || lines.length === 0 ? [] : [quote(shown)]),
    ...bullets(say.parts, parts),
  ]
}

/** The chapters of a document that are not shown yet, the definitions of code, the first keys of JSON. */
function isTop({ file, line, text }: CitedLine, shown: readonly CitedLine[]): boolean {
  if (isDocument(file)) return /^##? /.test(text) && line > (shown.at(-1)?.line ?? 0)
  return /^\S|^(?: {2}|\t)"/.test(text)
}

/** Every place that uses, tests or mentions something. */
function* listPlaces(question: Question, say: Phrases): ToolWork<string[]> {
  const { lines, truncated } = yield* findMentions(question)
  const places = rankPlaces(question, lines)
  // Imports, definitions and comments count if there is nothing else.
  const shown = places.filter(({ score }) => score > (places[0]?.score ?? 0) / 4)
  if (shown.length === 0) return [nothing(question, say)]
  const files = new Set(lines.map(({ file }) => file)).size
  const found = say.found(`${truncated ? '≥ ' : ''}${lines.length}`, files)
  return bullets(question.kind === 'tests' ? say.tests(shown.length) : found, shown.slice(0, 10).map(item))
}

/** The best passage of the documents and the code, and where else to look. */
function* lookUp(question: Question, say: Phrases): ToolWork<string[]> {
  const { facts, command } = yield* findFacts(question)
  if (facts.length > 0 && command === undefined) return [facts.join('\n')]
  // A document may show how the command is typed.
  const terms = command === undefined ? question.terms : [nameTerm(command)]
  const lines = command === undefined ? yield* findEvidence(question) : (yield inDocuments(terms)).lines
  const places = rankPlaces({ ...question, terms }, lines)
  const [best, ...others] = places.filter(({ text }) => text.trim().startsWith(command ?? ''))
  if (!best) return [facts.join('\n') || nothing(question, say)]
  const start = Math.max(best.line - 60, best.heading?.line ?? best.line - 20, 1)
  const read = yield { name: 'Read', args: { path: best.file, start_line: start, limit: 100 } }
  const shown = read.failed ? [best] : passageAt(read.lines, best)
  const more = others.filter(({ score }) => command === undefined && score > best.score / 3)
  // If a file was found by its name, the passage has the line.
  const lead = leadTo({ ...best, line: best.line || (shown[0]?.line ?? 0) }, say)
  const told = facts.length > 0 ? [facts.join('\n')] : []
  return [...told, lead, quote(shown), ...bullets(say.more, more.slice(0, 4).map(item))]
}

/** Says how sure it is: only the definition of the very name that was asked for is certain. */
function leadTo(best: FoundPlace, say: Phrases): string {
  const place = placeName(best)
  if (best.covered < 0.6) return say.unsure(place)
  if (best.heading) return say.from(place, clip(definedName(best.heading) ?? '', 80))
  return best.defines ? say.defined(place) : say.likely(place)
}

function item(line: CitedLine): string {
  return `${placeName(line)} ${clip(line.text.trim(), 100)}`.trimEnd()
}

function bullets(lead: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [[lead, ...items].join('\n- ')]
}

function nothing({ terms }: Question, say: Phrases): string {
  return say.nothing(terms.map(({ name, forms }) => `"${clip(name ?? forms.at(-1) ?? '', 80)}"`).join(', '))
}
