import { alternativeLimit, expandBraces } from './expand-braces.js'

// `*`, `**`, `?` and `{a,b}` mean what they mean in a shell; everything else is a letter, brackets and
// parentheses too (`app/[id]/(shop)/page.tsx`). Names are matched without regular expressions: as one,
// `*a*a*a*a*a*b` takes 8 seconds for a single name of a hundred letters, and a pattern may come from a
// file that a stranger wrote.

/** One step of a pattern on its way down: what the next name must look like, and what follows it. */
export interface GlobStep {
  readonly name: GlobName
  readonly next: GlobStep | undefined
}

/** `any-depth` is `**`: no folder, or any number of them. It is never the last step. */
type GlobName =
  | { readonly kind: 'any-depth' }
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'wildcard'
      readonly letters: readonly string[]
      /** What follows where the only wildcard is a `*` in front: `*.ts` is most of what is asked, and quickly told. */
      readonly ending: string | undefined
    }

/** All the steps that the next name may take. */
export type GlobSteps = ReadonlySet<GlobStep>

/** What wildcards stand for besides plain names; a pattern that names such a thing reaches it anyway. */
export interface GlobReach {
  /** Names that begin with a dot. */
  readonly hidden: boolean
  /** `node_modules`. */
  readonly packages: boolean
}

const plainNames: GlobReach = { hidden: false, packages: false }

/** No path is longer than this. */
const patternLimit = 4096

export interface ParsedGlob {
  /** The first steps. None where the pattern is empty, too long or leads out of its root. */
  readonly steps: GlobSteps
  /** Which part of the pattern is not among the steps; absent where all of it is. */
  readonly incomplete?: string
}

export function parseGlob(pattern: string): ParsedGlob {
  if (pattern.length > patternLimit)
    return { steps: new Set(), incomplete: `the pattern is longer than ${patternLimit} characters` }
  const { alternatives, complete } = expandBraces(pattern)
  const starts = alternatives.map((alternative) => toSteps(namesOf(alternative)))
  const steps = withSkips(starts.filter((step) => step !== undefined))
  return complete ? { steps } : { steps, incomplete: tooManyAlternatives }
}

const tooManyAlternatives = `only the first ${alternativeLimit} alternatives of the pattern were looked for; use several patterns`

/** The steps that remain inside a folder of this name. */
export function enterFolder(steps: GlobSteps, name: string, reach = plainNames): GlobSteps {
  const entered = [...steps].flatMap((step) => {
    if (!matches(step.name, name, reach)) return []
    const remaining = step.name.kind === 'any-depth' ? step : step.next
    return remaining ? [remaining] : []
  })
  return withSkips(entered)
}

/** True where a file of this name completes the pattern. */
export function completes(steps: GlobSteps, name: string, reach = plainNames): boolean {
  for (const step of steps) if (step.next === undefined && matches(step.name, name, reach)) return true
  return false
}

/** `**` may stand for no folder at all. A set, for two ways to one step are one way: else they double at every level. */
function withSkips(steps: readonly GlobStep[]): GlobSteps {
  return new Set(
    steps.flatMap((step) => (step.name.kind === 'any-depth' && step.next ? [step, step.next] : [step])),
  )
}

function matches(pattern: GlobName, name: string, { hidden, packages }: GlobReach): boolean {
  if (pattern.kind === 'literal') return pattern.text === name
  // A package folder is looked into, like a hidden one, only by who names it.
  if (name === 'node_modules' && !packages) return false
  const isShown = hidden || !name.startsWith('.')
  if (pattern.kind === 'any-depth') return isShown
  if (!isShown && pattern.letters[0] !== '.') return false
  return pattern.ending === undefined
    ? matchesLetters(pattern.letters, [...name])
    : name.endsWith(pattern.ending)
}

/**
 * Where a letter does not fit, only the last `*` need take one more: earlier ones have already left as
 * much as can be left. So the worst case is one length times the other.
 */
export function matchesLetters(pattern: readonly string[], name: readonly string[]): boolean {
  let at = 0
  let star = -1
  let resume = 0
  for (let letter = 0; letter < name.length; ) {
    if (pattern[at] === '*') {
      star = at++
      resume = letter
    } else if (pattern[at] === '?' || pattern[at] === name[letter]) {
      at++
      letter++
    } else if (star !== -1) {
      at = star + 1
      letter = ++resume
    } else return false
  }
  return pattern.slice(at).every((letter) => letter === '*')
}

function toSteps(names: readonly string[] | undefined): GlobStep | undefined {
  const folded = names?.filter((name, index) => name !== '**' || names[index - 1] !== '**')
  // `src/**` means the files below `src`, not `src` itself.
  if (folded?.at(-1) === '**') folded.push('*')
  return folded?.reduceRight<GlobStep | undefined>((next, name) => ({ name: toName(name), next }), undefined)
}

function toName(text: string): GlobName {
  if (text === '**') return { kind: 'any-depth' }
  if (!/[*?]/.test(text)) return { kind: 'literal', text }
  return { kind: 'wildcard', letters: [...text], ending: /^\*([^*?]*)$/.exec(text)?.[1] }
}

/** The pattern's names without `.` and `..`; undefined where it climbs out of the root. */
function namesOf(path: string): string[] | undefined {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') {
      if (names.pop() === undefined) return undefined
    } else if (name !== '' && name !== '.') names.push(name)
  }
  return names
}
