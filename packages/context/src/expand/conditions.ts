import { RE2JS } from 're2js'
import type { Condition, Operator } from './commands.js'
import type { MacroContext } from './macro-context.js'

export const maximumPatternLength = 1024
export const maximumSubjectLength = 100 * 1024

/** A condition's worth, and what the user should hear about it. */
export interface Verdict {
  readonly holds: boolean
  readonly complaints: readonly { readonly code: string; readonly message: string }[]
}

/** Compares; never evaluates anything as code. */
export function evaluateCondition(condition: Condition, macros: MacroContext): Verdict {
  const complaints: { code: string; message: string }[] = []
  const macroValue = (name: string) => {
    const value = macros.getValue(name)
    if (value === undefined)
      complaints.push({ code: 'undefined-operand', message: `${name} is not defined; it compares as ""` })
    return value ?? ''
  }
  const left = macroValue(condition.left)
  const right = condition.right.kind === 'string' ? condition.right.value : macroValue(condition.right.name)
  const outcome = comparisons[condition.operator](left, right)
  if (typeof outcome === 'boolean') return { holds: outcome, complaints }
  complaints.push({ code: 'bad-pattern', message: outcome.problem })
  return { holds: false, complaints }
}

const comparisons: Record<Operator, (left: string, right: string) => boolean | { problem: string }> = {
  IS: (left, right) => left === right,
  ISNT: (left, right) => left !== right,
  CONTAINS: (left, right) => left.includes(right),
  DOESNT_CONTAIN: (left, right) => !left.includes(right),
  MATCHES: (left, right) => matches(left, right),
  DOESNT_MATCH: (left, right) => {
    const found = matches(left, right)
    return typeof found === 'boolean' ? !found : found
  },
}

/** RE2 semantics, unanchored: linear in the subject, whatever the pattern. */
function matches(subject: string, pattern: string): boolean | { problem: string } {
  if (pattern.length > maximumPatternLength)
    return { problem: `the pattern is longer than ${maximumPatternLength} characters` }
  if (subject.length > maximumSubjectLength)
    return { problem: `the text to match is longer than ${maximumSubjectLength} characters` }
  try {
    return RE2JS.compile(pattern).matcher(subject).find()
  } catch (error) {
    return { problem: `the pattern "${pattern}" cannot be used: ${(error as Error).message}` }
  }
}
