import type { Kind, Question, Term } from './question.js'
import type { CitedLine } from './tool-result.js'
import { isChinese } from './vocabulary.js'

/** A line that may answer the question, below its heading; `covered`: how much of the question it has, from 0 to 1. */
export interface FoundPlace extends CitedLine {
  readonly heading: string
  readonly score: number
  readonly covered: number
  /** It defines the very name that was asked for. */
  readonly isExact: boolean
}

/** The best first. A word that few lines contain says more than one that all of them contain. */
export function rankPlaces({ terms, kind }: Question, lines: readonly CitedLine[]): FoundPlace[] {
  const weights = terms.map((term) => {
    const holding = lines.filter(({ file, text }) => holds(`${file} ${text}`, term)).length
    return (term.isName ? 2 : 1) * (1 + Math.log2((lines.length + 1) / (holding + 1)) / 2)
  })
  let [heading, file] = ['', '']
  const places = lines.map((line) => {
    if (isHeading(line) || line.file !== file) heading = isHeading(line) ? nameOf(line) : ''
    file = line.file
    return judge(line, heading, { terms, weights, kind })
  })
  const found = places.filter(({ score }) => score > 0)
  return found.sort((one, other) => other.score - one.score || one.file.length - other.file.length)
}

/** The best place of each file. A copy of a line says nothing new. */
export function bestOfFiles(places: readonly FoundPlace[]): FoundPlace[] {
  const seen = new Set<string>()
  return places.filter(
    ({ file, text }) => !seen.has(file) && !seen.has(text) && seen.add(file).add(text || file),
  )
}

type Scale = Pick<Question, 'kind' | 'terms'> & { readonly weights: readonly number[] }

/** Counts the question's words in the line, in the name that it defines, in its heading and in its file's name. */
function judge(line: CitedLine, heading: string, { terms, weights, kind }: Scale): FoundPlace {
  const base = line.file.replace(/^.*\/|\.\w+$/g, '')
  const own = nameOf(line)
  // A document has the name of its file.
  const above = /^# /.test(line.text) ? base : heading
  const values = terms.map((term) => {
    // A name of few words is all about them.
    const inName = (name: string) => (holds(name, term) ? 0.5 + 1.5 / (name.match(word)?.length ?? 1) : 0)
    const inFile = inName(base) || (holds(line.file, term) ? 0.5 : 0)
    const inNames = Math.max(inName(own) * 1.3, inName(above)) + inFile
    const inText = holds(line.text, term) ? 1 : 0
    // A definition says most, except to a user who asks for uses.
    return kind === 'uses' ? (holds(own, term) ? inText / 10 : inText) : inText + inNames
  })
  const sum = (parts: readonly number[]) =>
    parts.reduce((all, part, at) => all + part * (weights[at] ?? 0), 0)
  // Half of the words is less than half of an answer.
  const covered = sum(values.map((value) => (value > 0 ? 1 : 0))) / (sum(values.map(() => 1)) || 1)
  const isExact = terms.some(({ isName, forms }) => isName && forms.includes(own.toLowerCase()))
  const score = sum(values) * covered * worthOf(line, kind) * (isExact && kind !== 'uses' ? 2 : 1)
  return { ...line, score, heading, covered, isExact }
}

const word = /[A-Z]?[a-z]+|\p{Script=Han}/gu

/** Whether words of a text begin so: `husky` does not contain sky, `GhostRenderer` contains render. */
export function holds(text: string, { pattern }: Term): boolean {
  // Nobody reads further.
  const start = text.slice(0, 300)
  const found = `${start} ${start.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')}`.toLowerCase().match(pattern)
  // A text that says it in two languages is a dictionary.
  return found !== null && found.every(isChinese) === found.some(isChinese)
}

/** The worth of a line as an answer: documents explain, code shows, and tests quote anything. */
function worthOf({ file, text }: CitedLine, kind: Kind): number {
  const [, other = 1, worths = {}] = sorts.find(([name]) => name.test(file)) ?? []
  const fitting = roles.filter(([line, , kinds]) => line.test(text) && kinds.test(kind))
  return fitting.reduce((worth, [, part]) => worth * part, worths[kind] ?? other)
}

/** How much by default, and how much to some kinds of questions. The first that fits counts. */
const sorts: readonly (readonly [file: RegExp, worth: number, Partial<Record<Kind, number>>])[] = [
  [/\.min\.|[.-]lock\b|\.snap$|\.map$/, 0.01, {}],
  [
    /(?:^|\/|__)(?:tests?|spec|cases|fixtures)(?:__)?\/|[._-](?:test|spec)\.|^test_/i,
    0.05,
    { tests: 1, uses: 0.5 },
  ],
  [/(?:^|\/)(?:package\.json|Cargo\.toml|pyproject\.toml)$/, 0.3, { fact: 2, how: 0.8 }],
  [/(?:^|\/)(?:bench\w*|examples?|scripts?|decisions|adr)\/|\.(?:json|ya?ml|toml|xml|svg|csv)$/i, 0.3, {}],
  [/(?:^|\/)(?:change(?:s|log)|history|licen[sc]e|notice)[^/]*$/i, 0.3, {}],
  [/\.(?:md|mdx|markdown|txt|rst|adoc)$/i, 1, { where: 0.35, uses: 0.35 }],
  [/(?:^|\/)(?:dist|build|out|vendor|coverage|target)\/|\.d\.[cm]?ts$/, 0.3, { where: 0.5, uses: 0.5 }],
  [/^/, 1, { what: 0.6, how: 0.3 }],
]
export const isDocument = (file: string) => /\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(file)
export const isHeading = ({ file, text }: CitedLine) => isDocument(file) && /^#{1,6} /.test(text)

const importing =
  /^\s*(?:import\b|from\b|export\s*(?:type\s*)?[{*]|use\s|#include\b|require\b|\}\s*from\b)|^.{0,200}=\s*require\(/
export const comment = /^\s*(?:\/\/|\/?\*|#(?!\[)|--|"""|@)/
const testTitle = /^\s*(?:it|test|describe)(?:\.\w+)*(?:\(.{0,100}\))?\(\s*['"`](.+?)['"`]\s*,/
/** Lines that are worth more or less than others of their file, to some kinds of questions. */
const roles: readonly (readonly [line: RegExp, part: number, kinds: RegExp])[] = [
  [importing, 0.2, /^/],
  [comment, 0.2, /uses/],
  [testTitle, 3, /tests/],
  [/^#{1,6} /, 1.3, /^/],
  // A script is run and a dependency is not; a field says something and an export does not.
  [/^\s*"[^"]*": *"[\s^~<>=v*]*\d/, 0.1, /how/],
  [/^\s*"[^"]*": *"\.\//, 0.1, /^/],
  // A command as it is typed.
  [/^\s*(?:[$>] )?(?:np[mx]|pnpm|yarn|bun|node|make|cargo|go|pip3?|pytest|git|docker|brew)\s/, 4, /how/],
]

/** Headings, rows and items; definitions, tests, functions that are assigned, methods and keys. */
const told = [/^#{1,6} +(.+?) *#*$/, /^\| *([^|]{1,20}?) *\|/, /^\s*[*-] +(?:\*\*|`)([^*`]+)|^`(--?[\w-]+)/]
const defined: readonly RegExp[] = [
  /^\s*(?:#\[.*\]\s*)?(?:[a-z]+(?:\(\w+\))?\s+)*(?:class|interface|type|enum|struct|trait|function\*?|fn|func|def|const|let|var|val|module|namespace|mod|record|object|protocol)\s+(?:\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/u,
  testTitle,
  /^(?:[\w$]+\.)*([\w$]+)\s*=\s*(?:async\s*)?(?:function|class|\()/,
  /^\s{1,12}(?:(?:[a-z]+|\*)\s+)*(#?(?!(?:if|for|while|switch|catch|return|function|with)\b)[\p{L}_$][\p{L}\p{N}_$]*)\s*\([^;]*\)?[^;=]*\{\s*$/u,
  /^\s*"?([\w:.@/-]+)"?\s*[:=]\s*["{[\d]/,
]

/** The name that a line defines; '' if none. A local variable, or `  type Item,` of an import, defines nothing. */
function nameOf({ file, text }: CitedLine): string {
  if (/^\s+(?:type \w+,?\s*$|(?:const|let|var) )/.test(text)) return ''
  const patterns = isDocument(file) ? told : defined
  const found = patterns.map((pattern) => pattern.exec(text.slice(0, 300))?.slice(1).find(Boolean))
  return found.find(Boolean)?.replace(/<[^>]*>|[*`]/g, '') ?? ''
}

/** A chapter of a document, a definition of code, a first key of JSON. */
export function isPart(line: CitedLine): boolean {
  const isTop = (isDocument(line.file) ? /^##? / : /^\S|^(?: {2}|\t)"/).test(line.text)
  return isTop && !importing.test(line.text) && nameOf(line) !== ''
}
