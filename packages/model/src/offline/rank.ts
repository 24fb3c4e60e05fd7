import { isJsonObject } from '@mutsumi/schema'
import type { Step } from './conversation.js'
import type { Question } from './question.js'
import { partsOf } from './search.js'
import { translations } from './vocabulary.js'

/** A line that may answer the question. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly score: number
  /** It defines what was asked for by name. */
  readonly defines: boolean
  /** How many of the question's terms it or its path holds. */
  readonly holds: number
}

interface Found {
  readonly file: string
  readonly line: number
  readonly text: string
}

/**
 * The best line of each file, the best file first. Definitions beat uses, source beats documents. What tests hold comes
 * last, however well it fits: they quote whatever people say.
 */
export function rankPlaces(question: Question, steps: readonly Step[]): Place[] {
  const matches = steps.flatMap(matchesIn)
  const found = [...matches, ...steps.flatMap((step) => namedFiles(step, matches))]
  const terms = termsWithWeights(question, found)
  const best = new Map<string, Place>()
  for (const match of found) {
    const place = judge(match, question, terms)
    const known = best.get(match.file)
    if (!known || place.score > known.score) best.set(match.file, place)
  }
  return [...best.values()]
    .filter(({ holds }) => holds > 0)
    .sort((one, other) => group(one, question) - group(other, question) || other.score - one.score)
}

function group({ file, score }: Place, question: Question): number {
  return score > 0 && !isBesideThePoint(file, question) ? 0 : 1
}

/** Whether a file is a test or made for one, and the question asks for something else. */
export function isBesideThePoint(file: string, { words, intent }: Question): boolean {
  return isTest(file.toLowerCase()) && intent !== 'uses' && !words.some((word) => word.startsWith('test'))
}

export function matchesIn({ name, data }: Step): Found[] {
  if (name !== 'Grep' || !Array.isArray(data.matches)) return []
  return data.matches.flatMap((match): Found[] => {
    if (!isJsonObject(match)) return []
    const { file, line, text } = match
    return typeof file === 'string' && typeof line === 'number' && typeof text === 'string'
      ? [{ file, line, text }]
      : []
  })
}

/** Files that only their names speak for. */
function namedFiles({ name, data }: Step, matches: readonly Found[]): Found[] {
  if (name !== 'Glob' || !Array.isArray(data.paths)) return []
  const known = new Set(matches.map(({ file }) => file))
  return data.paths.flatMap((file) =>
    typeof file === 'string' && !known.has(file) ? [{ file, line: 1, text: '' }] : [],
  )
}

type Weights = ReadonlyMap<string, number>

/** A word that stands in few of the lines says more about them than one that stands in all. */
function termsWithWeights({ names, words }: Question, found: readonly Found[]): Weights {
  const terms = new Set([...words, ...names.flatMap(partsOf), ...names.map((name) => name.toLowerCase())])
  const texts = found.map(({ text }) => text)
  return new Map(
    [...terms].map((term) => {
      const holding = texts.filter((text) => holdsTerm(text, term)).length
      return [term, Math.min(3, 1 + Math.log2((texts.length + 1) / (holding + 1)) / 2)]
    }),
  )
}

function judge(found: Found, question: Question, weights: Weights): Place {
  const { file, text } = found
  const base = file.slice(file.lastIndexOf('/') + 1)
  const defined = definedName(text)
  let score = kindScore(file.toLowerCase(), question) + (isImport(text) ? -4 : 0)
  let holds = 0
  for (const [term, weight] of weights) {
    // A line that holds a word in both languages is a dictionary.
    if (otherLanguage(term).some((same) => holdsTerm(text, same))) continue
    const inLine = holdsTerm(text, term)
    const inPath = holdsTerm(file, term)
    if (inLine || inPath) holds++
    score += weight * ((inLine ? 2 : 0) + (holdsTerm(base, term) ? 2 : inPath ? 1 : 0))
    if (defined && holdsTerm(defined, term)) score += weight * 2
  }
  score += compounds(question).filter((pair) => plain(base).includes(pair)).length * 3
  score += compounds(question).filter((pair) => plain(text).includes(pair)).length * 2
  const defines = defined !== undefined && question.names.some((name) => plain(name) === plain(defined))
  const exact = question.names.filter((name) => text.includes(name)).length * 2
  const role =
    question.intent === 'uses'
      ? useScore(found, question, defined !== undefined)
      : (defined ? 3 : 0) + (defines ? 8 : 0) - (question.names.length > 0 && isComment(text) ? 3 : 0)
  return { ...found, score: score + exact + role, defines, holds }
}

/** What the term, or the word that it is part of, is called in the other language. */
function otherLanguage(term: string): string[] {
  return [...translations].flatMap(([chinese, english]) =>
    chinese.includes(term) ? [english] : english === term ? [chinese] : [],
  )
}

/** Who asks for a name wants the code, not what is said about it. */
function isComment(text: string): boolean {
  return /^\s*(?:\/\/|\/?\*|#)/.test(text)
}

/** A call is a use; a definition and the file that is named like it are none. */
function useScore({ file, text }: Found, { names, words }: Question, isDefinition: boolean): number {
  const subject = plain(names[0] ?? words.slice(0, 2).join(''))
  const base = plain(file.slice(file.lastIndexOf('/') + 1))
  const isCalled = !isComment(text) && subject !== '' && plain(text).includes(`${subject}(`)
  return (
    (isCalled ? 5 : 0) +
    (isComment(text) ? -5 : 0) +
    (isDefinition ? -8 : 0) +
    (subject !== '' && base.startsWith(subject) ? -15 : 0)
  )
}

/** Whether a word of a text begins with the term: `husky` holds no sky, `GhostRenderer` holds render. */
export function holdsTerm(text: string, term: string): boolean {
  const low = text.toLowerCase()
  for (let at = low.indexOf(term); at !== -1; at = low.indexOf(term, at + 1)) {
    const isWordStart = !/[a-z]/i.test(text.charAt(at - 1)) || /[A-Z]/.test(text.charAt(at))
    if (isWordStart || !/^[a-z]/.test(term)) return true
  }
  return false
}

/** Two words of the question that stand next to each other: ghost block → ghostblock. */
function compounds({ words }: Question): string[] {
  return words.slice(1).map((word, index) => `${words[index]}${word}`)
}

/** Spelled the same in every style: GhostBlock, ghost-block, ghost_block. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_.-]+/g, '')
}

const definition =
  /^\s*(?:#\[.*\]\s*)?(?:(?:export|default|declare|abstract|public|private|protected|internal|static|final|async|override|readonly|pub(?:\(\w+\))?|unsafe|const|inline)\s+)*(?:class|interface|type|enum|struct|trait|function\*?|fn|func|def|const|let|var|val|module|namespace|mod|record|object|protocol)\s+(?:\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/u
const method =
  /^\s{1,12}(?:(?:public|private|protected|static|async|override|readonly|get|set|\*)\s*)*(#?[\p{L}_$][\p{L}\p{N}_$]*)\s*\([^;]*\)?[^;=]*\{\s*$/u
const heading = /^#{1,6} (.+)$/

/** As much of a line as is looked at: nobody reads further. */
const lookedAt = 300

/** The name that a line of code defines. */
export function definedName(line: string): string | undefined {
  const text = line.slice(0, lookedAt)
  // `  type Item,` stands in a list of imports.
  if (/^\s+type \w+,?\s*$/.test(text)) return undefined
  const name = definition.exec(text)?.[1] ?? method.exec(text)?.[1] ?? heading.exec(text)?.[1]
  return name !== undefined && /^(?:if|for|while|switch|catch|return|function|with)$/.test(name)
    ? undefined
    : name
}

export function isImport(text: string): boolean {
  return /^\s*(?:import\b|from\b|export\s*(?:type\s*)?(?:\{|\*)|use\b|#include\b|require\b|\}\s*from\b)|=\s*require\(/.test(
    text.slice(0, lookedAt),
  )
}

function isTest(path: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|specs?|cases|fixtures)\/|[._-](?:test|spec)\.|^test_/.test(path)
}

/** What kind of file it is: the most likely to hold an answer first. */
function kindScore(path: string, { words, intent }: Question): number {
  const asksFor = (word: string) => words.some((asked) => asked.startsWith(word))
  if (
    /(?:^|\/)(?:dist|build|out|vendor|node_modules|coverage|target)\/|\.min\.|\.lock$|-lock\.|\.snap$|\.map$/.test(
      path,
    )
  )
    return -12
  if (isTest(path)) return asksFor('test') ? 2 : intent === 'uses' ? -3 : -8
  if (/\.(?:md|markdown|txt|rst|adoc)$/.test(path)) return asksFor('doc') || asksFor('prompt') ? 1 : -6
  if (/(?:^|\/)(?:bench|benchmarks?|examples?|scripts?|tools?\/scripts)\//.test(path)) return -3
  if (/\.(?:json|ya?ml|toml|xml|svg|csv)$/.test(path)) return asksFor('config') ? 1 : -3
  return 0
}
