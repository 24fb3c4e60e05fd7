import { chineseStopWords, englishStopWords, translations } from './vocabulary.js'

/** What a question is about. */
export interface Terms {
  /** Quoted texts and identifiers, as written. */
  readonly names: readonly string[]
  /** Stems of the other words, in lower case, in the order of the question. */
  readonly words: readonly string[]
  /** Words that look like paths of files or folders. */
  readonly paths: readonly string[]
}

/** As much of a question as is looked at: people paste logs. */
const looked = 4000

export function termsOf(question: string): Terms {
  const text = question.slice(0, looked)
  const quoted = quotedIn(text)
  const unquoted = without(text, quoted)
  const paths = [...quoted.filter(looksLikePath), ...pathsIn(unquoted)]
  const rest = without(unquoted, paths)
  const found = [...rest.matchAll(identifier)].map(([name]) => name)
  // API is a word among others, and a name where it stands alone.
  const identifiers = found.filter((name) => !acronym.test(name) || englishWords(rest).length <= 1)
  const prose = without(rest, identifiers)
  return {
    names: unique([...quoted.filter((name) => !looksLikePath(name)), ...identifiers]).slice(0, 6),
    words: unique([...englishWords(prose), ...chineseWords(prose)]).slice(0, 6),
    paths: unique(paths).slice(0, 5),
  }
}

function without(text: string, taken: readonly string[]): string {
  return taken.reduce((left, part) => left.replaceAll(part, ' '), text)
}

const endings =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonl|md|mdc|txt|py|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|yml|yaml|toml|xml|html|css|scss|vue|svelte|sql|lock|cfg|ini|env|log|csv|proto|gradle|swift|mtm'
const fileName = new RegExp(String.raw`(?<![\w/.@-])[\w@.-]*(?:/[\w@.-]+)*\.(?:${endings})(?![\w/])`, 'g')
const folderName = /(?<![\w/.:@-])(?:\.{0,2}\/)?[\w@.-]+\/(?:[\w@.-]+\/?)*/g

function pathsIn(text: string): string[] {
  const files = [...text.matchAll(fileName)].map(([path]) => path)
  const withoutFiles = files.reduce((left, path) => left.replaceAll(path, ' '), text)
  // `and/or` is no folder, `src/` and `packages/context` are; a question mark or full stop ends the sentence.
  const folders = [...withoutFiles.matchAll(folderName)].map(([path]) => path.replace(/[.]+$/, ''))
  return [...files, ...folders.filter((path) => !/^(?:and\/or|https?:\/)/i.test(path))]
    .map((path) => path.replace(/^@/, '').replace(/^\.\//, ''))
    .filter((path) => path.length > 1)
}

function looksLikePath(quoted: string): boolean {
  return new RegExp(
    String.raw`^[^\n:*?]+\.(?:${endings})$|^[\w.-]+(?:/[\w.-]+)*/$|^[\w.-]+(?:/[\w.-]+)+$`,
  ).test(quoted)
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]{2,80})`|"([^"\n]{2,80})"|“([^”\n]{2,80})”|「([^」\n]{2,80})」/g)]
    .map((found) => (found[1] ?? found[2] ?? found[3] ?? found[4] ?? '').trim().replace(/\(\)$/, ''))
    .filter((name) => name.length > 1)
}

/** camelCase, PascalCase of two parts, snake_case, CONSTANT, dotted.name, call() */
const identifier =
  /(?<![\p{L}\p{N}_.])(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+_\w+|[A-Z][A-Z0-9]{2,}|[A-Za-z]\w+(?:\.[A-Za-z]\w+)+|[A-Za-z]\w+(?=\(\)))(?![\p{L}\p{N}_])/gu

const acronym = /^[A-Z][A-Z0-9]{1,3}$/

function englishWords(text: string): string[] {
  return (text.toLowerCase().match(/[a-z][a-z0-9'-]*[a-z0-9]|\d{2,6}/g) ?? [])
    .map((word) => word.replace(/'s$/, ''))
    .filter((word) => !englishStopWords.has(word))
    .map(stem)
    .filter((word) => word.length > 1 && !englishStopWords.has(word))
}

/** rendered, rendering, renders → render. Only so far that the stem still stands in the words it came from. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const short = word
    .replace(/(?:ies|ied)$/, '')
    .replace(/(?<=[a-z]{4}t)ions?$/, '')
    .replace(/(?<=[a-z]{3})(?:ings?|ed)$/, '')
    .replace(/(?<=[sxz]|ch|sh)es$/, '')
    .replace(/(?<=[a-z]{2}[^s])s$/, '')
  const single = /([bdfgmnprt])\1$/.test(short) && short !== word ? short.slice(0, -1) : short
  // Without a vowel it was no ending: string.
  return single.length >= 3 && /[aeiouy]/.test(single) ? single : word
}

/** Runs of Chinese without the words of the question itself: what is known in English first, then pairs of characters. */
function chineseWords(text: string): string[] {
  const runs = text.match(/\p{Script=Han}+/gu) ?? []
  const parts = runs.flatMap(withoutStopWords)
  return [...parts.flatMap(translated), ...parts.flatMap(pairsIn)]
}

function withoutStopWords(run: string): string[] {
  return chineseStopWords
    .reduce((left, word) => (keepsMeaning(left, word) ? left : left.replaceAll(word, ' ')), run)
    .split(' ')
    .filter((part) => part !== '')
}

/** 上 is a stop word, and part of 上下文. */
function keepsMeaning(run: string, word: string): boolean {
  return [...translations.keys()].some((known) => known.includes(word) && run.includes(known))
}

function translated(part: string): string[] {
  return [...translations]
    .filter(([known]) => part.includes(known))
    .sort(([one], [other]) => part.indexOf(one) - part.indexOf(other))
    .map(([, english]) => english)
}

function pairsIn(part: string): string[] {
  return Array.from({ length: Math.min(4, part.length - 1) }, (_, at) => part.slice(at, at + 2))
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)]
}
