import { expandBraces } from './expand-braces.js'
import { foldCase } from './fold-case.js'
import { matchesLetters } from './glob-pattern.js'

// Not the workspace's globs, because those skip hidden files. A rule that denies `secrets/**` must also cover
// `secrets/.env`, and `Secrets` on a case-insensitive file system.

/** The paths that a rule covers. */
export interface PathPattern {
  /** Its base: `workspace` for `src/**`, `home` for `~/x`, `system` for `/x`. */
  readonly base: 'workspace' | 'home' | 'system'
  readonly alternatives: readonly (readonly string[])[]
}

/** Why a pattern is invalid: the code of its words. */
export type PatternProblem = 'rule-long-path' | 'rule-many-alternatives' | 'rule-parent-path' | 'rule-no-path'

export function parsePathPattern(text: string): PathPattern | PatternProblem {
  if (text.length > 4096 || /\p{Cc}/u.test(text)) return 'rule-long-path'
  const base = text.startsWith('/') ? 'system' : /^~(?:\/|$)/.test(text) ? 'home' : 'workspace'
  const expansion = expandBraces(base === 'home' ? text.slice(1) : text)
  // A denial must not silently lose its last alternatives.
  if (!expansion.complete) return 'rule-many-alternatives'
  const alternatives = expansion.alternatives.map(namesOf)
  if (alternatives.some((names) => names.includes('..'))) return 'rule-parent-path'
  if (alternatives.some((names) => names.length === 0)) return 'rule-no-path'
  return { base, alternatives }
}

/** True if an allowing rule covers the path, relative to the pattern's base. The spelling must match exactly. */
export function isAllowedPath(pattern: PathPattern, path: string): boolean {
  const names = path.split('/')
  return pattern.alternatives.some((alternative) => fits(alternative, names, fitsVisible))
}

/** The same for a denying rule, which also covers hidden names and other spellings. */
export function isDeniedPath(pattern: PathPattern, path: string): boolean {
  const names = foldCase(path).split('/')
  return pattern.alternatives.some((alternative) => fits(alternative.map(foldCase), names, fitsName))
}

/**
 * True if a denying rule may cover something below a searched folder: `''` for the pattern's base, else ending in `/`.
 * A search skips hidden names, so a denial of `.env` does not affect it.
 */
export function couldDenyBelow(pattern: PathPattern, folder: string): boolean {
  return stepsLeft(pattern, folder).some((steps) => !steps.some((step) => step.startsWith('.')))
}

/** The same for a search that includes hidden names. */
export function leadsToDenied(pattern: PathPattern, folder: string): boolean {
  return stepsLeft(pattern, folder).length > 0
}

/** The remaining parts of the pattern below a folder, for each way in which it matches so far. */
function stepsLeft(pattern: PathPattern, folder: string): (readonly string[])[] {
  const names = foldCase(folder).split('/').slice(0, -1)
  return pattern.alternatives.flatMap((alternative) => {
    const steps = alternative.map(foldCase)
    const places = [...placesAfter(steps, names, fitsName)].filter((place) => place < steps.length)
    return places.map((place) => steps.slice(place))
  })
}

/** `src/` and `src/**` are the files below it. */
function namesOf(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (path.endsWith('/') && names.length > 0) names.push('**')
  return names
}

type NameTest = (pattern: string, name: string) => boolean

function fits(pattern: readonly string[], names: readonly string[], test: NameTest): boolean {
  return placesAfter(pattern, names, test).has(pattern.length)
}

/** Goes through the names once and keeps all positions in the pattern that can be reached so far. */
function placesAfter(pattern: readonly string[], names: readonly string[], test: NameTest): Set<number> {
  let places = reach(pattern, new Set([0]))
  for (const name of names) {
    const next = new Set<number>()
    for (const place of places) {
      const step = pattern[place]
      if (step === '**' ? test('*', name) : step !== undefined && test(step, name)) {
        next.add(step === '**' ? place : place + 1)
        if (step === '**' && place === pattern.length - 1) next.add(place + 1)
      }
    }
    places = reach(pattern, next)
  }
  return places
}

/** `**` may match nothing, except at the end: `src/**` is not `src`. */
function reach(pattern: readonly string[], places: ReadonlySet<number>): Set<number> {
  const reached = new Set(places)
  for (const place of reached)
    if (pattern[place] === '**' && place < pattern.length - 1) reached.add(place + 1)
  return reached
}

function fitsVisible(pattern: string, name: string): boolean {
  return !(name.startsWith('.') && !pattern.startsWith('.')) && fitsName(pattern, name)
}

function fitsName(pattern: string, name: string): boolean {
  return matchesLetters(pattern.split(''), name.split(''))
}
