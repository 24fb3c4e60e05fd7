import type { Kind, Term } from './question.js'
import { isDocument, isHeading, nameOf } from './syntax.js'
import type { CitedLine } from './tool-result.js'

/** `Session.send` and `Session::send` are `send` of Session. */
export const ownerOf = (name: string) =>
  /^(.*?)(?:\.|::|#)\w+$/.exec(name)?.[1]?.replace(/^.*\W/, '') || undefined
const baseOf = (file: string) => file.toLowerCase().replace(/^.*\//, '')
export const lastOf = (name: string) => name.replace(/^.*\W(?=\w+$)/, '')

/** `impl<T> Matches for Args {` is about Args. */
const implementedIn = ({ text }: CitedLine) =>
  /^\s*impl(?:<.*?>)?\s+(?:.*\bfor\s+)?(\w+)/.exec(text.slice(0, 300))?.[1] ?? ''

/** The first definitions of such a name after that of their owner. */
export function ownedPlaces(terms: readonly Term[], lines: readonly CitedLine[]): ReadonlySet<CitedLine> {
  const places = terms.flatMap(({ name = '' }) => {
    const owner = ownerOf(name)
    let open = ''
    return lines.filter((line) => {
      const own = owner === undefined ? '' : nameOf(line) || implementedIn(line)
      if (own === '') return false
      if (own === owner) open = line.file
      const isFirst = own === lastOf(name) && line.file === open
      if (isFirst) open = ''
      return isFirst
    })
  })
  return new Set(places)
}

interface AskedNames {
  readonly terms: readonly Term[]
  readonly isOwned: boolean
}

/** How much more a line counts because it defines a name of the question: `res.send = …` for res.send, not for send. */
export function exactness({ text, file }: CitedLine, own: string, { terms, isOwned }: AskedNames): number {
  const worth = terms.map(({ name, forms }) => {
    if (name === undefined) return 1
    const owner = ownerOf(name)
    // A test or a page that has the name.
    if (owner !== undefined && baseOf(file).startsWith(`${name.toLowerCase()}.`)) return 2.5
    if (own !== lastOf(name)) return forms.includes(own.toLowerCase()) ? (owner === undefined ? 1.4 : 1.1) : 1
    if (owner === undefined) return 2.6
    const isItsOwn = new RegExp(`\\b${owner}(?:\\.prototype)?(?:\\.${own}\\b|\\) )`, 'i').test(text)
    return isOwned || isItsOwn ? 4 : 1.3
  })
  const said = terms.filter(({ pattern }) => pattern.test(spaced(own)))
  // `parseConfig` for "Where is the config parsed?"
  return Math.max(said.length > 1 && says(own, terms) ? 1.6 : 1, ...worth)
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
  if (covered < 0.9 || isOld.test(line.file)) return false
  const names = terms.flatMap(({ name }) => name ?? [])
  const isSaid = names.length > 0 && names.every((name) => line.text.includes(name))
  switch (kind) {
    case 'tests':
      return exact > 2 || covered === 1
    case 'fact':
      return isManifest.test(line.file) && says(own, terms)
    case 'uses':
      return isSaid
    default:
      if (isTried.test(line.file) || (kind === 'where' && isDocument(line.file) && !isQuoted(names)))
        return false
      if (names.length > 0) return exact >= 2 || (isSaid && (isQuoted(names) || isDocument(line.file)))
      // `timeout: 0` is not where a timeout is handled.
      if (!isDocument(line.file) && /^\s*["'\w.-]+\s*:/.test(line.text)) return false
      // A word may be a function's name by chance; a chapter of that name explains it.
      if (kind === 'what' && !isDocument(line.file)) return false
      return says(own, terms) || says(isHeading(line) ? '' : heading, terms) || isCommand(line, kind)
  }
}

const isManifest = /(?:^|\/)(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod)$/
const isOld = /\b(?:change(?:s|log)|history|news)\b/i
const isTried = /(?:^|\/)(?:tests?|spec|examples?|fixtures|bench\w*)\//i
const isQuoted = (names: readonly string[]) => names.some((name) => name.includes(' '))

/** Whether a name has words of the question, and no others. */
function says(name: string, terms: readonly Term[]): boolean {
  const words = spaced(name).match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu)
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

/** `GhostRenderer` as words. */
const spaced = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
