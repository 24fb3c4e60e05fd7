import { alternativeLimit, expandBraces } from './expand-braces.js'

// `*`, `**`, `?` and `{a,b}` work as in a shell; everything else is literal, including brackets and parentheses
// (`app/[id]/(shop)/page.tsx`). Names are matched without regular expressions: as a regular expression, `*a*a*a*a*a*b`
// takes 8 seconds for a single name of a hundred letters, and a pattern may come from a file that a stranger wrote.

/** One step of a pattern: what the next name must match, and what follows. */
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
      /**
       * The ending after a leading `*`, if that is the only wildcard: `*.ts` is the most common pattern and fast to
       * match.
       */
      readonly ending: string | undefined
    }

/** All the steps that the next name may take. */
export type GlobSteps = ReadonlySet<GlobStep>

/** Names that wildcards match besides plain names. A pattern that spells out such a name always matches it. */
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
  /** The first steps; empty if the pattern is empty, too long or leads out of its root. */
  readonly steps: GlobSteps
  /** The part of the pattern that is left out of the steps; absent if nothing is. */
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

const tooManyAlternatives = `only the first ${alternativeLimit} alternatives of the pattern were used; use several patterns`

/** The steps that remain inside a folder of this name. */
export function enterFolder(steps: GlobSteps, name: string, reach = plainNames): GlobSteps {
  const entered = [...steps].flatMap((step) => {
    if (!matches(step.name, name, reach)) return []
    const remaining = step.name.kind === 'any-depth' ? step : step.next
    return remaining ? [remaining] : []
  })
  return withSkips(entered)
}

/** True if a file of this name completes the pattern. */
export function completes(steps: GlobSteps, name: string, reach = plainNames): boolean {
  for (const step of steps) if (step.next === undefined && matches(step.name, name, reach)) return true
  return false
}

/**
 * `**` may match no folder at all. This is a set, because otherwise two ways to the same step would double at every
 * level.
 */
function withSkips(steps: readonly GlobStep[]): GlobSteps {
  return new Set(
    steps.flatMap((step) => (step.name.kind === 'any-depth' && step.next ? [step, step.next] : [step])),
  )
}

function matches(pattern: GlobName, name: string, { hidden, packages }: GlobReach): boolean {
  if (pattern.kind === 'literal') return pattern.text === name
  // A package folder, like a hidden one, is entered only if the pattern names it.
  if (name === 'node_modules' && !packages) return false
  const isShown = hidden || !name.startsWith('.')
  if (pattern.kind === 'any-depth') return isShown
  if (!isShown && pattern.letters[0] !== '.') return false
  return pattern.ending === undefined
    ? matchesLetters(pattern.letters, [...name])
    : name.endsWith(pattern.ending)
}

/**
 * If a character does not match, only the last `*` must take one more, because the earlier ones already match as
 * little as possible. So the worst case is the product of both lengths.
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

/** The pattern's names without `.` and `..`; undefined if it leads out of the root. */
function namesOf(path: string): string[] | undefined {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') {
      if (names.pop() === undefined) return undefined
    } else if (name !== '' && name !== '.') names.push(name)
  }
  return names
}
