import { type Phrases, phrases } from './phrases.js'
import { nameTerm, patternOf, type Question } from './question.js'
import { clip, passageAt, placeName, quote, startOf } from './quote.js'
import { bestOfFiles, type FoundPlace, holds, isPart, rankPlaces } from './rank.js'
import type { Call, CitedLine, Result, ToolWork } from './tool-result.js'

/** Searches, ranks the lines that it finds, reads around the best one and quotes it. */
export function* answer(question: Question): ToolWork<string> {
  const say = phrases[question.language]
  if (question.kind === 'about') return say.about
  const parts = yield* question.paths.length > 0 ? showPaths(question, say) : lookUp(question, say)
  return [...(question.isOrder ? [say.cannotChange] : []), ...parts, say.note].join('\n\n')
}

function* lookUp(question: Question, say: Phrases): ToolWork<string[]> {
  const lines = yield* search(question)
  const isList = question.kind === 'uses' || question.kind === 'tests'
  const ranked = rankPlaces(question, lines)
  const places = question.kind === 'uses' ? ranked : bestOfFiles(ranked)
  const [best] = places
  if (!best)
    return [say.nothing(question.terms.map(({ forms }) => `"${clip(forms.at(-1) ?? '', 80)}"`).join(', '))]
  const near = places.filter(({ score }) => score > best.score / 4)
  if (isList)
    return listed(say.found(ranked.length, new Set(ranked.map(({ file }) => file)).size), near.slice(0, 10))
  const start = Math.max(best.line - 40, 1)
  const read = yield { name: 'Read', args: { path: best.file, start_line: start, limit: 80 } }
  return [...show(best, read.failed ? [best] : read.lines, say), ...listed(say.more, near.slice(1, 5))]
}

/** Lines of documents with their headings, lines of code with words near each other, and files by their names. */
function* search({ kind, terms }: Question): ToolWork<readonly CitedLine[]> {
  const forms = terms.flatMap((term) => term.forms)
  const any = patternOf(forms)
  const names = terms.flatMap((term) => (term.isName ? term.forms : []))
  const near = names.length > 0 ? patternOf(names) : terms.length > 1 ? `(${any}).{0,40}(${any})` : any
  const include =
    kind === 'tests' ? '**/{*[._-]{test,spec}.*,test_*,{test,tests,spec,__tests__}/**}' : undefined
  const code = (yield grep(near, include)).lines
  const isFound = code.some(({ text }) => terms.some((term) => holds(text, term)))
  const more = isFound || near === any ? code : [...code, ...(yield grep(any, include)).lines]
  if (kind === 'uses' || kind === 'tests') return more
  const told = (yield grep(`^#+ |${any}`, '{*.{md,mdx,rst,txt},package.json,Cargo.toml,pyproject.toml}'))
    .lines
  const words = forms.filter((form) => /^[\w.-]{3,40}$/.test(form))
  // Braces around a single word are part of the name.
  const pattern = words.length === 1 ? `**/*${words}*` : `**/*{${words}}*`
  const files = words.length === 0 ? [] : (yield { name: 'Glob', args: { pattern, limit: 100 } }).lines
  return [...told, ...more, ...files]
}

function grep(pattern: string, include?: string): Call {
  return { name: 'Grep', args: { pattern, ...(include && { include }), case_sensitive: false, limit: 1000 } }
}

/** Quotes a place, and says how sure it is: only the definition of the very name that was asked for is certain. */
function show(best: FoundPlace, lines: readonly CitedLine[], say: Phrases): string[] {
  const at = lines.findIndex(({ line }) => line === best.line)
  const passage = passageAt(lines, at === -1 ? startOf(lines) : at)
  // If a file was found by its name, the passage has the line.
  const place = placeName({ ...best, line: best.line || (passage[0]?.line ?? 0) })
  const heading = best.heading === '' ? '' : `, “${clip(best.heading, 80)}”`
  const lead = best.covered < 0.6 ? say.unsure : best.isExact ? say.defined : say.likely
  return [lead(`${place}${heading}`), quote(passage)]
}

/** The files and folders that the question names; if there are none, whatever has their names. */
function* showPaths(question: Question, say: Phrases): ToolWork<string[]> {
  const parts: string[] = []
  const lost: string[] = []
  for (const path of question.paths) {
    const shown = yield* showPath(path, question, say)
    parts.push(...shown)
    if (shown.length === 0) lost.push(path)
  }
  if (question.kind === 'project' && lost.length > 0)
    return yield* listOf({ name: 'LS', args: { path: '.' } }, say)
  const all = [...parts, ...lost.map((path) => say.notThere(placeName({ file: path })))]
  const terms = [...question.terms, ...lost.map(nameTerm)]
  return parts.length > 0 ? all : [...all, ...(yield* lookUp({ ...question, kind: 'what', terms }, say))]
}

function* showPath(path: string, question: Question, say: Phrases): ToolWork<string[]> {
  const isPattern = path.includes('*')
  if (isPattern && question.kind === 'files')
    return yield* listOf({ name: 'Glob', args: { pattern: path } }, say)
  const read = isPattern ? undefined : yield { name: 'Read', args: { path } }
  if (read?.failed === false) return outline(read, question, say)
  if (!isPattern && !/\w\.\w+$/.test(path)) {
    const entries = yield* listOf({ name: 'LS', args: { path } }, say)
    if (entries.length === 0) return []
    return [
      ...outline(yield { name: 'Read', args: { path: `${path}/README.md` } }, question, say),
      ...entries,
    ]
  }
  const pattern = isPattern ? path : `**/${path.slice(path.lastIndexOf('/') + 1)}`
  const names = (yield { name: 'Glob', args: { pattern } }).lines.map(({ file }) => file)
  const [nearest] = names.sort((one, other) => one.length - other.length)
  return nearest === undefined ? [] : outline(yield { name: 'Read', args: { path: nearest } }, question, say)
}

function* listOf(call: Call, say: Phrases): ToolWork<string[]> {
  const { failed, lines, total } = yield { ...call, args: { ...call.args, limit: 200 } }
  const names = lines.map(({ file }) => clip(file, 200)).sort()
  const rest = total > 30 ? [`… (${total - 30})`] : []
  const what = placeName({ file: String(call.args.pattern ?? call.args.path) })
  return failed ? [] : [[say.count(what, total, 'entry'), ...names.slice(0, 30), ...rest].join('\n- ')]
}

/** The best place for the question or the beginning of a file, and what else it has: chapters, definitions, keys. */
function outline({ failed, lines, total }: Result, question: Question, say: Phrases): string[] {
  const [first] = lines
  if (failed || !first)
    return failed ? [] : [say.count(placeName({ file: question.paths.join() }), total, 'line')]
  const terms = question.terms.filter((term) => lines.some(({ text }) => holds(text, term)))
  const [best] = rankPlaces({ ...question, terms }, lines)
  const shown = best ? show(best, lines, say) : [quote(passageAt(lines, startOf(lines)))]
  const length = say.count(placeName({ file: first.file }), total, 'line')
  return [length, ...shown, ...listed(say.more, lines.filter(isPart).slice(0, 30))]
}

function listed(lead: string, lines: readonly CitedLine[]): string[] {
  const items = lines.map((line) => `${placeName(line)} ${clip(line.text.trim(), 100)}`.trimEnd())
  return items.length === 0 ? [] : [[lead, ...items].join('\n- ')]
}
