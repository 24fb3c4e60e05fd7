import { RE2JS } from 're2js'
import type { Effort } from '../ground/effort.js'

const maximumPatternLength = 1024
const maximumSubjectLength = 100 * 1024
/** Steps that a pattern may unfold to: `(a{1,30}){1,30}` is short to write and has 1 900. */
const maximumSteps = 10_000

/** What it costs to read a pattern, and each step of it. Booked for every use: who came first must not matter. */
const effortPerPattern = 5000
const effortPerStep = 100

export interface Problem {
  readonly problem: string
}

/** A pattern ready for use, or what is wrong with it. */
type Program = { readonly steps: number } & ({ readonly pattern: RE2JS } | Problem)

/**
 * Looks for patterns in texts. RE2 semantics, unanchored: linear in the text for any one pattern. The pattern's
 * own size counts as well, because each of its steps may be tried at each character.
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

  /** Read once while it is remembered. */
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
  problem: 'the conditions of one build may take only so much time, and it is spent',
}

function readPattern(pattern: string): Program {
  const unusable = (why: string) => `the pattern "${pattern}" cannot be used: ${why}`
  try {
    const program = RE2JS.compile(pattern)
    const steps = program.programSize()
    if (steps <= maximumSteps) return { steps, pattern: program }
    return { steps, problem: unusable(`its repeats unfold to more than ${maximumSteps} steps`) }
  } catch (error) {
    return { steps: 0, problem: unusable((error as Error).message) }
  }
}

/** Whoever looks for plain words pays nothing for their length: the engine finds those without trying steps. */
function isLiteral(pattern: string): boolean {
  return !/[\\^$.|?*+()[\]{}]/.test(pattern)
}

function tooMuchWork(pattern: string, subject: string): Problem {
  const problem = `the pattern "${pattern}" on a text of ${subject.length} characters takes more time than this build has left; use fewer or smaller repeats`
  return { problem }
}
