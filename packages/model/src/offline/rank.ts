import type { Kind, Question, Term } from './question.js'
import type { CitedLine } from './tool-result.js'
import { isChinese } from './vocabulary.js'

/** A line that may answer the question. */
export interface FoundPlace extends CitedLine {
  /** The nearest heading above a line of a document. */
  readonly heading?: CitedLine | undefined
  readonly score: number
  /** How much of the question it and its file's name contain, from 0 to 1. */
  readonly covered: number
  /** It defines the very name that was asked for. */
  readonly defines: boolean
}

/** The best place of each file, the best file first; for uses, every line. */
export function rankPlaces(question: Question, lines: readonly CitedLine[]): FoundPlace[] {
  const terms = question.terms.map((term) => ({ ...term, weight: weightOf(term, lines) }))
  // In a published package, the built files are all there is.
  const hasSource = lines.some(({ file }) => worthOf(file, 'where') === 1 && !built.test(file))
  let heading: CitedLine | undefined
  const places = lines.map((line) => {
    if (isHeading(line)) heading = line
    if (heading?.file !== line.file || heading.line > line.line) heading = undefined
    const isTold = question.isHowTo && question.kind === 'what' && !isDocument(line.file)
    const worth = worthOf(line.file, question.kind) * (hasSource && built.test(line.file) ? 0.1 : 1)
    return judge(line, { heading, worth: isTold ? worth / 2 : worth, terms, kind: question.kind })
  })
  const found = places.filter(({ score }) => score > 0)
  const ranked = found.sort((one, other) => other.score - one.score || one.file.length - other.file.length)
  if (question.kind === 'uses') return ranked
  const seen = new Set<string>()
  // A copy of a line says nothing new.
  return ranked.filter(
    ({ file, text }) => !seen.has(file) && !seen.has(text) && seen.add(file).add(text || file),
  )
}

const built = /(?:^|\/)(?:dist|build|out|vendor|node_modules|coverage|target)\//

/** What a file is worth as an answer, by its name: documents tell, code shows, and tests quote whatever people say. */
const worths: readonly (readonly [name: RegExp, Partial<Record<Kind, number>>, other: number])[] = [
  [/\.min\.|[.-]lock\b|\.snap$|\.map$/, {}, 0.01],
  [
    /(?:^|\/)(?:tests?|__tests__|specs?|cases|fixtures)\/|[._-](?:test|spec)\.|^test_/i,
    { tests: 1, uses: 0.5 },
    0.05,
  ],
  [/(?:^|\/)(?:bench\w*|examples?|scripts?|decisions|adr)\/|\.(?:json|ya?ml|toml|xml|svg|csv)$/i, {}, 0.3],
  [/(?:^|\/)(?:change(?:s|log)|history|licen[sc]e|notice)[^/]*$/i, {}, 0.3],
  [/\.(?:md|mdx|markdown|txt|rst|adoc)$/i, { what: 1, path: 1 }, 0.35],
  [/^/, { what: 0.6, path: 0.6 }, 1],
]

function worthOf(file: string, kind: Kind): number {
  const [, own = {}, other = 1] = worths.find(([name]) => name.test(file)) ?? []
  return own[kind] ?? other
}

export function isDocument(file: string): boolean {
  return /\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(file)
}

export function isHeading({ file, text }: CitedLine): boolean {
  return isDocument(file) && /^#{1,6} /.test(text)
}

/** A word that few lines contain says more than one that all of them contain. */
function weightOf(term: Term, lines: readonly CitedLine[]): number {
  const holding = lines.filter(({ file, text }) => holds(`${file} ${text}`, term)).length
  return (term.name === undefined ? 1 : 2) * (1 + Math.log2((lines.length + 1) / (holding + 1)) / 2)
}

interface Scale {
  readonly heading: CitedLine | undefined
  readonly worth: number
  readonly terms: readonly (Term & { readonly weight: number })[]
  readonly kind: Kind
}

function judge(line: CitedLine, { heading, worth, terms, kind }: Scale): FoundPlace {
  const own = definedName(line) ?? ''
  const base = line.file.replace(/^.*\/|\.\w+$/g, '')
  // A document has the name of its file.
  const title = /^# /.test(line.text) ? base : ''
  const above = heading && heading !== line ? (definedName(heading) ?? '') : title
  let [score, held, all] = [0, 0, 0]
  for (const term of terms) {
    // A name of few words is all about them.
    const inName = (name: string) => (holds(name, term) ? 0.5 + 1.5 / wordsIn(name) : 0)
    const inFile = inName(base) || (holds(line.file, term) ? 0.5 : 0)
    const named = kind === 'uses' ? 0 : Math.max(inName(own), inName(above)) + inFile
    const value = (holds(line.text, term) ? 1 : 0) + named
    score += value * term.weight
    held += value > 0 ? term.weight : 0
    all += term.weight
  }
  // Words that follow each other in the question and in a name: ghost block, GhostBlock, ghost-block.ts.
  const words = terms.map(({ forms }) => plain(forms[0] ?? ''))
  const name = plain(`${own} ${above} ${base}`)
  score += words.filter((word, index) => index > 0 && name.includes(`${words[index - 1]}${word}`)).length
  const defines = terms.some((term) => term.name !== undefined && term.forms.includes(own.toLowerCase()))
  const isNamed = terms.some((term) => holds(`${own} ${title}`, term))
  const covered = held / (all || 1)
  // Half of the words is less than half of an answer.
  score *= covered * worth * roleOf(line, kind, isNamed) * (defines && kind !== 'uses' ? 2 : 1)
  return { ...line, heading, covered, defines, score }
}

/** A definition says most, except to a user who asks for uses or tests. */
function roleOf(line: CitedLine, kind: Kind, isNamed: boolean): number {
  if (importing.test(line.text)) return 0.2
  if (kind === 'tests') return testTitle.test(line.text) ? 1.5 : 0.5
  if (isHeading(line)) return isNamed ? 1.6 : 1
  if (comment.test(line.text)) return kind === 'uses' ? 0.2 : 0.8
  return kind === 'uses' ? (isNamed ? 0.1 : 1) : isNamed ? 1.3 : 1
}

function wordsIn(name: string): number {
  return name.match(/[A-Z]?[a-z]+|\p{Script=Han}/gu)?.length ?? 1
}

/** Spelled the same in every style: GhostBlock, ghost-block, ghost_block. */
export function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_.-]+/g, '')
}

/** How much of a line is looked at: nobody reads further. */
const looked = 300

/** Whether a text contains a term. A text that contains it in two scripts is a dictionary. */
export function holds(text: string, { forms }: Term): boolean {
  const found = forms.filter((form) => holdsWord(text.slice(0, looked), form))
  return found.length > 0 && found.every(isChinese) === found.some(isChinese)
}

/** Whether a word of the text begins so: `husky` does not contain sky, `GhostRenderer` contains render. */
function holdsWord(text: string, form: string): boolean {
  const low = text.toLowerCase()
  for (let at = low.indexOf(form); at !== -1; at = low.indexOf(form, at + 1)) {
    const isStart = !/[a-z]/i.test(text.charAt(at - 1)) || /[A-Z]/.test(text.charAt(at))
    if (isStart || !/^[a-z]/.test(form)) return true
  }
  return false
}

export const importing =
  /^\s*(?:import\b|from\b|export\s*(?:type\s*)?[{*]|use\s|#include\b|require\b|\}\s*from\b)|^.{0,200}=\s*require\(/
export const comment = /^\s*(?:\/\/|\/?\*|#(?!\[)|--|"""|@)/
const testTitle = /^\s*(?:it|test|describe)(?:\.\w+)*(?:\(.{0,100}\))?\(\s*['"`](.+?)['"`]\s*,/
const codeNames: readonly RegExp[] = [
  /^\s*(?:#\[.*\]\s*)?(?:[a-z]+(?:\(\w+\))?\s+)*(?:class|interface|type|enum|struct|trait|function\*?|fn|func|def|const|let|var|val|module|namespace|mod|record|object|protocol)\s+(?:\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/u,
  testTitle,
  /^(?:[\w$]+\.)*([\w$]+)\s*=\s*(?:async\s*)?(?:function|class|\()/,
  /^\s{1,12}(?:(?:[a-z]+|\*)\s+)*(#?(?!(?:if|for|while|switch|catch|return|function|with)\b)[\p{L}_$][\p{L}\p{N}_$]*)\s*\([^;]*\)?[^;=]*\{\s*$/u,
  /^\s+"([^"]+)":/,
]
const documentNames = [
  /^#{1,6} +(.+?) *#*$/,
  /^\| *([^|]{1,20}?) *\|/,
  /^\s*[*-] +(?:\*\*|`)([^*`]+)(?:\*\*|`)|^`(--?[\w-]+)/,
]

/** The name that a line defines: of a function, a test, a key; a heading, the first cell of a row. */
export function definedName({ file, text }: CitedLine): string | undefined {
  // A local variable, or `  type Item,` in a list of imports, defines nothing for others.
  if (/^\s+(?:type \w+,?\s*$|(?:const|let|var) )/.test(text)) return undefined
  const patterns = isDocument(file) ? documentNames : codeNames
  const found = patterns.map((pattern) => pattern.exec(text.slice(0, looked))?.slice(1).find(Boolean))
  return found.find(Boolean)?.replace(/<[^>]*>|[*`]/g, '')
}
