import type { Kind, Question, Term } from './question.js'
import { exactness, isSure, ownedPlaces } from './sure.js'
import { importing, isHeading, isUnderline, nameOf } from './syntax.js'
import type { CitedLine } from './tool-result.js'
import { isChinese } from './words.js'

type WeighedTerm = Term & { readonly files: ReadonlySet<string> }

/** The lines that may answer, the best first. A word that few files contain says more than one that all contain. */
export function rankPlaces({ terms, kind, language }: Question, lines: readonly CitedLine[]) {
  const all = new Set(lines.map(({ file }) => file)).size
  const weighed = terms.map((term) => {
    const files = new Set(lines.flatMap(({ file, text }) => (holds(`${file} ${text}`, term) ? file : [])))
    return { ...term, files, weight: term.weight * (1 + Math.log2((all + 1) / (files.size + 1))) }
  })
  const owned = ownedPlaces(terms, lines)
  let [heading, file] = ['', '']
  const places = lines.map((line) => {
    // The text of an underlined heading is not among the lines.
    if (isHeading(line) || line.file !== file || isUnderline(line.text))
      heading = isHeading(line) ? nameOf(line) : ''
    file = line.file
    return { ...line, heading, ...judge(line, heading, { kind, terms: weighed, isOwned: owned.has(line) }) }
  })
  // A translation says what another line says.
  const isForeign = ({ text }: CitedLine) => language === 'en' && isChinese(text)
  const sources = new Set(lines.flatMap(({ file }) => (source.test(file) ? stemOf(file) : [])))
  const isBuilt = ({ file }: CitedLine) => built.test(file) && sources.has(stemOf(file))
  const fair = places.map((place) =>
    isForeign(place) || isBuilt(place) ? { ...place, score: place.score / 4 } : place,
  )
  const found = fair.filter(({ score }) => score > 0)
  return found.sort((one, other) => other.score - one.score || one.file.length - other.file.length)
}

/** A compiler made it from a source of the same name, which says the same. */
const source = /(?<!\.d)\.(?:tsx?|mts|cts)$/
const built = /\.(?:[cm]?js|d\.[cm]?ts)$/
const stemOf = (file: string) => file.replace(/^.*\//, '').replace(/(?:\.d)?\.\w+$/, '')

interface Judging {
  readonly kind: Kind
  readonly terms: readonly WeighedTerm[]
  /** It is the first of its name after its class. */
  readonly isOwned: boolean
}

/** Adds up the question's words in the line, in the name that it defines, in its heading and in its file's name. */
function judge(line: CitedLine, heading: string, { kind, terms, isOwned }: Judging) {
  const own = nameOf(line)
  const [base = '', folder = ''] = line.file.split('/').reverse()
  const around = [nameField(isHeading(line) ? base : heading, 2), nameField(base, 3), nameField(folder, 1.5)]
  const text = { text: line.text, weight: 3 / Math.sqrt(Math.max(countWords(line.text), 4)) }
  // A definition says most, except to a user who asks for uses.
  const fields = kind === 'uses' ? [text, nameField(own, -6)] : [text, nameField(own, 3), ...around]
  let [sum, covered, whole] = [0, 0, 0]
  const lacks: string[] = []
  for (const term of terms) {
    const value = fields.reduce((all, field) => all + (holds(field.text, term) ? field.weight : 0), 0)
    // The word may be elsewhere in the file.
    const part = value > 0 ? 1 : term.files.has(line.file) ? 0.3 : 0
    if (part === 0) lacks.push(term.name ?? term.word ?? '')
    sum += term.weight * Math.max(value, part)
    covered += term.weight * part
    whole += term.weight
  }
  // Half of the words are less than half of an answer, and the definition of the very name is twice one.
  const exact = exactness(line, own, { terms, isOwned })
  const score = ((sum * covered) / whole) * worthOf(line, kind) * exact
  return {
    score,
    lacks,
    isSure: isSure({ line, heading, own, kind, terms, exact, covered: covered / whole }),
  }
}

/** A name of few words is all about them. */
const nameField = (text: string, weight: number) => ({ text, weight: weight / (0.5 + countWords(text) / 2) })
const countWords = (text: string) =>
  text.replace(/\.\w+$/, '').match(/[A-Z]?[a-z]+|\p{Script=Han}/gu)?.length ?? 1

/** Whether words of a text's beginning begin so: `husky` does not contain sky, `GhostRenderer` contains render. */
function holds(text: string, { pattern }: Term): boolean {
  const start = text.slice(0, 300)
  return pattern.test(`${start} ${start.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')}`.toLowerCase())
}

/** Documents explain, code shows, and tests quote anything. A file near the root is about the whole project. */
function worthOf(line: CitedLine, kind: Kind): number {
  const [, other = 1, worths = {}] = files.find(([name]) => name.test(line.file)) ?? []
  const worth = (worths[kind] ?? other) * 0.95 ** line.file.split('/').length
  if (importing.test(line.text) || unlikely[kind]?.test(line.text)) return worth / 5
  return worth * (kind === 'how' && command.test(line.text) ? 4 : isHeading(line) ? 1.4 : 1)
}

/** The worth of a line by its file: by default, and to some kinds of questions. The first that fits counts. */
const files: readonly (readonly [file: RegExp, worth: number, Partial<Record<Kind, number>>])[] = [
  [/\b(?:tests?|spec|cases|fixtures)(?:__)?\/|[._-](?:test|spec)\.|^test_/i, 0.05, { tests: 1, uses: 0.5 }],
  // Translations say what another document says.
  [
    /[-_.](?:ar|de|es|fr|it|ja|jp|ko|kr|pt|ru|tr|uk|vi|zh|pl|nl|fa|hi|cn|tw)(?:[-_]\w{2,4})?\.(?:md|rst|txt)$/i,
    0.1,
    {},
  ],
  [/\b(?:change(?:s|log)|history|news)\b/i, 0.1, { what: 0.2 }],
  [/\b(?:bench\w*|examples?|scripts?|decisions|adr|licen[sc]e)\b/i, 0.3, {}],
  [/\b(?:package\.json|Cargo\.toml|pyproject\.toml)$/, 0.3, { fact: 2, how: 0.8 }],
  [/\.(?:json|ya?ml|toml|svg|map|lock)$|\.(?:min|d)\.|\b(?:dist|build|out|vendor)\//, 0.2, {}],
  [/\bglossary\b/i, 1, { what: 2, where: 0.35 }],
  [/\.(?:md|mdx|markdown|txt|rst|adoc)$/i, 1, { where: 0.2, uses: 0.35 }],
  [/^/, 1, { what: 0.6, how: 0.3 }],
]
/** A script is run and a dependency is not; a field says something and an export does not; a test has a title. */
const unlikely: Partial<Record<Kind, RegExp>> = {
  how: /": *(?:[{[]|"[\s^~>=v]*\d)/,
  fact: /": *"\.\//,
  tests: /^(?!\s*(?:def |func |fn )?(?:it|test|describe))/i,
}
const command = /^\s*(?:[$>] )?(?:np[mx]|pnpm|yarn|bun|node|make|cargo|go|pip3?|pytest|git|docker|brew)\s/
