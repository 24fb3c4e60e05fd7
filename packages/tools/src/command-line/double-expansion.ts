import { because, type Reason } from '../reasons/reason.js'
import type { ShellWord } from './shell-word.js'

// In some places bash expands the value of a word a second time, so that even a quoted `$(…)` runs. Each of these was
// tried in bash 5.2, and the tests try them again. Such a line cannot be judged by its words.
//
// | a line                             | expanded again                                    |
// |------------------------------------|---------------------------------------------------|
// | `x >&'$(y)'`                       | the word after `>&`, if it is not a number         |
// | `test -v 'a[$(y)]'`, `printf -v …` | a subscript, and what it names: `test -v 'a[b]'`   |
// | `read 'a[$(y)]'`, `let`, `unset` … | the same                                          |
// | `declare -a x='($(y))'`            | a list                                            |
// | `RANDOM='a[$(y)]'`, `OPTIND=x`     | the value of a variable that is always a number    |
// | `PS4='$(y)'`, `BASH_ENV='$(y)'`    | prompts, and the start-up file of another shell      |

interface Words {
  readonly assignments: readonly ShellWord[]
  readonly words: readonly ShellWord[]
}

/** Why the shell would expand a part of this command twice; undefined if it expands everything once. */
export function doubleExpansion({ assignments, words }: Words): Reason | undefined {
  const assignment = assignments.find(isEvaluated)
  if (assignment) return because('evaluated-value', nameIn(assignment))
  const [first, ...rest] = words
  if (first === undefined || !evaluates(first.text, rest)) return undefined
  return because('expanded-twice', first.text)
}

/** The word after `>&` and `<&` is safe only if a second expansion changes nothing. */
export function isStable({ text, certainty }: ShellWord): boolean {
  return certainty === 'literal' && /^[\w@%+:,./=-]+$/.test(text)
}

const prompts = /^(?:PS\d|PROMPT_COMMAND|BASH_ENV|ENV)$/
/** Bash evaluates values assigned to these as arithmetic. Some are listed only because another version may do so. */
const numbers =
  /^(?:S?RANDOM|OPTIND|HISTCMD|SECONDS|LINENO|EPOCH\w+|BASHPID|BASH_SUBSHELL|TMOUT|COLUMNS|LINES)$/

function isEvaluated(assignment: ShellWord): boolean {
  const name = nameIn(assignment)
  if (prompts.test(name)) return true
  return numbers.test(name) && !/^\w+=\d*$/.test(assignment.text)
}

function nameIn({ text }: ShellWord): string {
  return /^\w+/.exec(text)?.[0] ?? ''
}

const evaluators = new Set(
  'declare typeset local export readonly let read mapfile readarray unset getopts wait compgen complete'.split(
    ' ',
  ),
)

function evaluates(name: string, words: readonly ShellWord[]): boolean {
  if (evaluators.has(name)) return words.some(mayHoldExpansion)
  if (name === 'test')
    return words.some((word, at) => mayBe(/^-[vR]$/, word) && mayHoldExpansion(words[at + 1]))
  if (name !== 'printf') return false
  // `-va[x]` too.
  const [option, variable] = words
  return (
    option !== undefined && mayBe(/^-v/, option) && (mayHoldExpansion(option) || mayHoldExpansion(variable))
  )
}

function mayBe(pattern: RegExp, { text, certainty }: ShellWord): boolean {
  return certainty !== 'literal' || pattern.test(text)
}

function mayHoldExpansion(word: ShellWord | undefined): boolean {
  return word !== undefined && (word.certainty !== 'literal' || /[[$`(]/.test(word.text))
}
