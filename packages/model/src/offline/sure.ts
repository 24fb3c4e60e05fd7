import type { Kind, Term } from './question.js'
import { isDocument, isHeading } from './syntax.js'
import type { CitedLine } from './tool-result.js'

/** How much more a line counts because it defines a name of the question: `res.send = …` for res.send, not for send. */
export function exactness({ text, file }: CitedLine, own: string, terms: readonly Term[]): number {
  const worth = terms.map((term) => {
    const { name, forms } = term
    if (name === undefined) return 1
    const [, owner, last = name] = /^(.*?)(?:\.|::|#)(\w+)$/.exec(name) ?? []
    // A test or a page that has the name.
    if (file.toLowerCase().split('/').at(-1)?.startsWith(`${name.toLowerCase()}.`)) return 2.5
    if (own !== last) return forms.includes(own.toLowerCase()) ? (owner === undefined ? 1.4 : 1.1) : 1
    const isWhole = owner === undefined || text.includes(`${owner}.${last}`) || text.includes(`${owner})`)
    return isWhole ? (owner === undefined ? 2.6 : 4) : 1.3
  })
  return Math.max(1, ...worth)
}

export interface JudgedPlace {
  readonly line: CitedLine
  readonly heading: string
  readonly own: string
  readonly kind: Kind
  readonly terms: readonly Term[]
  readonly exact: number
  /** How much of the question it has. */
  readonly covered: number
}

/**
 * Whether a place surely answers: the definition of the very name, a name or heading that says what the question says
 * and nothing else, the very words in quotes. A place that only has its words may tell anything.
 */
export function isSure({ line, heading, own, kind, terms, exact, covered }: JudgedPlace): boolean {
  if (covered < 0.8 || isOld.test(line.file)) return false
  const names = terms.flatMap(({ name }) => name ?? [])
  const isSaid = names.length > 0 && names.every((name) => line.text.includes(name))
  switch (kind) {
    case 'tests':
      return exact > 2 || covered === 1
    case 'uses':
      return isSaid
    default:
      if (isTried.test(line.file) || (kind === 'where' && isDocument(line.file) && !isQuoted(names)))
        return false
      if (names.length > 0) return exact >= 2 || (isSaid && (isQuoted(names) || isDocument(line.file)))
      return says(own, terms) || says(isHeading(line) ? '' : heading, terms) || isCommand(line, kind)
  }
}

const isOld = /\b(?:change(?:s|log)|history|news)\b/i
const isTried = /(?:^|\/)(?:tests?|spec|examples?|fixtures|bench\w*)\//i
const isQuoted = (names: readonly string[]) => names.some((name) => name.includes(' '))

/** Whether a name has words of the question, and no others. */
function says(name: string, terms: readonly Term[]): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu)
  const own = words?.filter((word) => !small.has(word)) ?? []
  return own.length > 0 && own.every((word) => terms.some(({ pattern }) => pattern.test(word)))
}

const small = new Set([
  'the',
  'a',
  'an',
  'of',
  'to',
  'and',
  'for',
  'in',
  'your',
  'it',
  'with',
  'using',
  'running',
  'run',
  'how',
  'get',
  'is',
])

const isCommand = ({ text }: CitedLine, kind: Kind) =>
  kind === 'how' &&
  /^\s*(?:"[\w:-]+": *"|[$>] |`{0,3}(?:np[mx]|pnpm|yarn|make|cargo|go|pytest|tox|pip|uv) )/.test(text)
