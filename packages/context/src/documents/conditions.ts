import type { Warning } from '@mutsumi/schema'
import type { Effort } from '../ground/effort.js'
import { warningWords } from '../ground/warning-words.js'
import type { Condition, Operator } from './commands.js'
import type { MacroContext } from './macro-context.js'
import { type PatternMatcher, type Problem, spentEffort } from './patterns.js'

/** The value of a condition, and its warnings. */
export interface ConditionResult {
  readonly holds: boolean
  readonly complaints: readonly Complaint[]
}

/** A warning without its place. */
type Complaint = Pick<Warning, 'code' | 'message' | 'phrase'>

/** The data that a condition is evaluated with. */
export interface Judging {
  readonly macros: MacroContext
  readonly patterns: PatternMatcher
  readonly effort: Effort
}

/** Only compares; never evaluates anything as code. */
export function evaluateCondition(condition: Condition, judging: Judging): ConditionResult {
  const complaints: Complaint[] = []
  const macroValue = (name: string) => {
    const value = judging.macros.getValue(name)
    if (value === undefined)
      complaints.push({ code: 'undefined-operand', ...warningWords('undefined-operand', name) })
    return value ?? ''
  }
  const left = macroValue(condition.left)
  const right = condition.right.kind === 'string' ? condition.right.value : macroValue(condition.right.name)
  const outcome = compare(condition.operator, { left, right }, judging)
  if (typeof outcome === 'boolean') return { holds: outcome, complaints }
  complaints.push({ code: 'bad-pattern', message: outcome.problem })
  return { holds: false, complaints }
}

function compare(
  operator: Operator,
  { left, right }: { left: string; right: string },
  judging: Judging,
): boolean | Problem {
  switch (operator) {
    case 'IS':
      return left === right
    case 'ISNT':
      return left !== right
    case 'CONTAINS':
      return contains(left, right, judging)
    case 'DOESNT_CONTAIN':
      return negated(contains(left, right, judging))
    case 'MATCHES':
      return judging.patterns.matches(left, right, judging.effort)
    case 'DOESNT_MATCH':
      return negated(judging.patterns.matches(left, right, judging.effort))
    default:
      return operator satisfies never
  }
}

/** How many steps of a plain text search take one unit of effort. */
const comparisonsPerUnit = 64

/** In the worst case the search compares all of `part` at every position of `text`. */
function contains(text: string, part: string, { effort }: Judging): boolean | Problem {
  const places = Math.max(0, text.length - part.length + 1)
  const units = Math.ceil((places * part.length) / comparisonsPerUnit)
  if (!effort.allows(units)) return spentEffort
  effort.book(units)
  return text.includes(part)
}

function negated(outcome: boolean | Problem): boolean | Problem {
  return typeof outcome === 'boolean' ? !outcome : outcome
}
