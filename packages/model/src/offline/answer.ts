import type { ToolCall } from '@mutsumi/schema'
import { lookUpChanges } from './changes.js'
import { isTask, lookUpCommand } from './commands.js'
import { lookUpFact } from './look-up-fact.js'
import { type Phrases, phrases } from './phrases.js'
import { nameTerm, patternOf, type Question } from './question.js'
import { clip, passageAt, placeName, quote } from './quote.js'
import { rankPlaces } from './rank.js'
import { grep, search } from './search.js'
import { introductionOf, isHeading, isPart, isStart, nameOf, withHeadings } from './syntax.js'
import type { CitedLine, ToolWork } from './tool-result.js'

/** Searches, or reads the files that the question names; ranks the lines, and quotes the best one with those around it. */
export function* answer(question: Question): ToolWork<string> {
  const say = phrases[question.language]
  if (question.kind === 'about') return say.about
  const told =
    (yield* lookUpChanges(question, say)) ??
    (yield* lookUpFact(question, say)) ??
    (yield* lookUpCommand(question, say))
  if (told) return [...told, say.note].join('\n\n')
  const named: CitedLine[] = []
  const paths = (yield* isAboutProject(question)) ? ['.'] : question.paths
  for (const path of paths) named.push(...(yield* linesOf(path)))
  if (paths[0] === '.' && !introductionOf(named)) named.unshift(...(yield grep(description, rootManifests)))
  const terms = [...question.terms, ...question.paths.map(nameTerm)]
  const parts =
    named.length > 0
      ? outline({ ...question, paths, terms: paths === question.paths ? question.terms : [] }, named, say)
      : yield* lookUp({ ...question, terms }, say)
  return [...parts, say.note].join('\n\n')
}

/** "What is koa?", if that is the project's own name. */
function* isAboutProject({ text, terms: [term, ...others] }: Question): ToolWork<boolean> {
  if (
    !term ||
    term.isName ||
    others.length > 0 ||
    !/^\W*what(?:'s|’s| is| does)? [\w.-]+(?: do)?\W*$/i.test(text)
  )
    return false
  const pattern = `^\\s*(\\w+\\.)?"?name"?\\s*[:=]\\s*["'](${patternOf(term.forms)})\\w*"|^module .*/(${patternOf(term.forms)})$`
  const found = yield grep(pattern, rootManifests)
  return found.length > 0
}

const rootManifests = '/{package.json,pyproject.toml,Cargo.toml,go.mod,*.gemspec}'
const description = '^\\s*"?description"?\\s*[:=]\\s*"\\w'

function* lookUp(question: Question, say: Phrases): ToolWork<string[]> {
  const ranked = rankPlaces(question, yield* search(question))
  const seen = new Set<string>()
  // The best place of each file. A copy of a line says nothing new.
  const isNew = ({ file, text }: CitedLine) => !seen.has(file) && !seen.has(text) && seen.add(file).add(text)
  const [best, ...others] = ranked.filter(isNew)
  if (!best) return [say.nothing]
  const start = Math.max(best.line - 40, 1)
  const around = yield read(best.file, { start_line: start, limit: 80 })
  const heading = withHeadings(around).findLast((line) => line.line <= best.line && isHeading(line))
  const near = others.filter(({ score }) => score > best.score / 3)
  const total = question.kind === 'uses' ? ranked.length : near.length
  const isSure = best.isSure && !isTask(question)
  const place = { ...best, isSure, heading: heading ? nameOf(heading) : best.heading }
  return [
    ...show(place, around.length > 0 ? around : [best], say),
    ...list(say.more(total), near.slice(0, 6)),
  ]
}

const read = (path: string, range = {}): ToolCall => ({ name: 'Read', args: { path, ...range } })

/** A file, a folder's README and entries, or the files of that pattern or name, the one with the shortest path first. */
function* linesOf(path: string): ToolWork<readonly CitedLine[]> {
  const isFile = /\w\.\w+$/.test(path)
  const given = yield isFile ? read(path) : { name: 'LS', args: { path, limit: 200 } }
  const readme = given.find(({ file }) => !isFile && /^readme/i.test(file))
  if (given.length > 0) return [...(readme ? yield read(`${path}/${readme.file}`) : []), ...given]
  const pattern = path.includes('*') ? path : `**/${path.replace(/^.*\//, '')}`
  const found = [...(yield { name: 'Glob', args: { pattern, limit: 200 } })]
  const [nearest] = found.sort((one, other) => one.file.length - other.file.length)
  return nearest ? [...(yield read(nearest.file)), ...found] : []
}

/** The best place for the question or the beginning, and what else there is: chapters, definitions, keys, files. */
function outline(question: Question, lines: readonly CitedLine[], say: Phrases): string[] {
  const names = question.paths.flatMap((path) => nameTerm(path.replace(/^.*\/|\.\w+$/g, '')).forms)
  const isNamesake = (line: CitedLine) => names.includes(nameOf(line).toLowerCase())
  const found = rankPlaces(question, lines)[0] ?? lines.find(isNamesake)
  const start = introductionOf(lines) ?? lines.find(isStart)
  // A beginning tells what something is, not how or where.
  const place = found ?? (start && { ...start, isSure: question.kind === 'what' })
  const parts = lines.filter((line) => line.line === 0 || isPart(line))
  return [...(place ? show(place, lines, say) : []), ...list(say.more(parts.length), parts.slice(0, 30))]
}

/** A place with the lines around it. */
function show(place: Shown, lines: readonly CitedLine[], say: Phrases): string[] {
  const { file, line, heading = '', isSure = true, lacks = [] } = place
  const at = lines.findIndex((each) => each.file === file && each.line === line)
  const lead = `${placeName(place)}${heading && `, “${clip(heading, 80)}”`}`
  return [isSure ? say.likely(lead) : say.unsure(lead, lacks), quote(passageAt(lines, at))]
}

type Shown = CitedLine & {
  readonly heading?: string
  readonly isSure?: boolean
  readonly lacks?: readonly string[]
}

function list(lead: string, lines: readonly CitedLine[]): string[] {
  const items = lines.map((line) => `${placeName(line)} ${clip(line.text.trim(), 100)}`.trimEnd())
  return items.length === 0 ? [] : [[lead, ...items].join('\n- ')]
}
