import { RE2JS } from 're2js'
import type { Effort } from '../ground/effort.js'

const maximumPatternLength = 1024
const maximumSubjectLength = 100 * 1024
/** The most steps that a pattern may expand to: the short `(a{1,30}){1,30}` has 1 900. */
const maximumSteps = 10_000

/**
 * The cost of reading a pattern, and of each of its steps. It is charged for every use, so that the order of documents
 * does not matter.
 */
const effortPerPattern = 5000
const effortPerStep = 100

export interface Problem {
  readonly problem: string
}

/** A pattern ready for use, or what is wrong with it. */
type Program = { readonly steps: number } & ({ readonly pattern: RE2JS } | Problem)

/**
 * Searches texts for patterns. RE2 semantics, unanchored: linear in the text for any one pattern. The size of the
 * pattern is charged too, because each of its steps may be tried at each character.
 */
export class PatternMatcher {
  readonly #programs = new Map<string, Program>()
  #steps = 0

  matches(subject: string, pattern: string, effort: Effort): boolean | Problem {
    if (pattern.length > maximumPatternLength)
      return { problem: `the pattern is longer than ${maximumPatternLength} characters` }
    if (subject.length > maximumSubjectLength)
      return { problem: `the text to match is longer than ${maximumSubjectLength} characters` }
    if (!effort.allows(effortPerPattern)) return spentEffort
    const program = this.#program(pattern)
    effort.book(effortPerPattern + program.steps * effortPerStep)
    if ('problem' in program) return program
    const work = isLiteral(pattern) ? 0 : program.steps * subject.length
    if (!effort.allows(work)) return tooMuchWork(pattern, subject)
    effort.book(work)
    return program.pattern.matcher(subject).find()
  }

  /** Compiled once while it is cached. */
  #program(pattern: string): Program {
    const known = this.#programs.get(pattern)
    if (known) return known
    const program = readPattern(pattern)
    if (this.#steps > 10 * maximumSteps) {
      this.#programs.clear()
      this.#steps = 0
    }
    this.#programs.set(pattern, program)
    this.#steps += 'problem' in program ? 1 : program.steps
    return program
  }
}

export const spentEffort: Problem = {
  problem: 'the conditions of this build take too much time',
}

function readPattern(pattern: string): Program {
  const unusable = (why: string) => `the pattern "${pattern}" cannot be used: ${why}`
  try {
    const program = RE2JS.compile(pattern)
    const steps = program.programSize()
    if (steps <= maximumSteps) return { steps, pattern: program }
    return { steps, problem: unusable(`its repeats expand to more than ${maximumSteps} steps`) }
  } catch (error) {
    return { steps: 0, problem: unusable((error as Error).message) }
  }
}

/** Plain words cost nothing extra, whatever their length: the engine finds them without trying steps. */
function isLiteral(pattern: string): boolean {
  return !/[\\^$.|?*+()[\]{}]/.test(pattern)
}

function tooMuchWork(pattern: string, subject: string): Problem {
  const problem = `the pattern "${pattern}" on a text of ${subject.length} characters takes more time than this build has left; use fewer or smaller repeats`
  return { problem }
}
