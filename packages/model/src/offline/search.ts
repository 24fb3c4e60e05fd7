import type { Call } from './conversation.js'
import type { Question } from './question.js'

/** Lines that hold a name, or two of the question's words near each other; undefined where there is nothing to look for. */
export function mainSearch({ names, words }: Question): Call | undefined {
  const patterns = names.length > 0 ? names.map(escaped) : nearEachOther(words)
  return patterns.length === 0 ? undefined : grep(patterns)
}

/** Lines that hold any of the words, where the main search finds nothing. */
export function looseSearch({ names, words }: Question): Call | undefined {
  const parts = names.flatMap(partsOf)
  const patterns = [...new Set([...words, ...parts])]
    .filter((word) => word.length > 2 || isChinese(word))
    .map(escaped)
  return patterns.length === 0 ? undefined : grep(patterns)
}

/** Definitions of names that hold one of the words: where a search ended at its limit, it has not seen every file. */
export function definitionSearch({ names, words }: Question): Call | undefined {
  const parts = [...names, ...words].filter((word) => /^\w{3,}$/.test(word))
  if (parts.length === 0) return undefined
  const keywords = 'class|interface|type|enum|struct|trait|function|fn|func|def|const'
  return grep([String.raw`(?:${keywords})\s+\w*(?:${parts.join('|')})`])
}

/** Files whose names hold the question's words. */
export function nameSearch({ names, words }: Question): Call | undefined {
  const parts = (names.length > 0 ? names : words).filter((word) => /^[\w.-]{3,40}$/.test(word))
  const joined = parts.filter((word) => /^[a-z]{2,20}$/.test(word)).slice(0, 2)
  const spellings = [
    ...new Set([...parts.map(kebab), ...parts, ...(joined.length === 2 ? [joined.join('-')] : [])]),
  ]
  if (spellings.length === 0) return undefined
  const [only] = spellings
  const wanted = spellings.length === 1 ? only : `{${spellings.join(',')}}`
  return { name: 'Glob', args: { pattern: `**/*${wanted}*`, limit: 100 } }
}

/** As many lines as are ranked. */
const mostLines = 400

function grep(patterns: readonly string[]): Call {
  return { name: 'Grep', args: { pattern: patterns.join('|'), case_sensitive: false, limit: mostLines } }
}

/** Pairs of words of one script: nobody writes half a sentence in Chinese and its other half in English. */
function nearEachOther(words: readonly string[]): string[] {
  const scripts = [words.filter((word) => !isChinese(word)), words.filter(isChinese)]
  return scripts.flatMap((each) => pairsOf(each.slice(0, 4)))
}

function pairsOf(words: readonly string[]): string[] {
  if (words.length === 1) return words.map(escaped)
  const pairs = words.flatMap((one, index) =>
    words.slice(index + 1).map((other) => [escaped(one), escaped(other)]),
  )
  return pairs.flatMap(([one, other]) => [`${one}.{0,40}${other}`, `${other}.{0,40}${one}`])
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) =>
    character === '/' || character === '-' ? character : `\\${character}`,
  )
}

function isChinese(word: string): boolean {
  return /\p{Script=Han}/u.test(word)
}

/** GhostBlock → ghost, block */
export function partsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 2)
}

function kebab(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}
