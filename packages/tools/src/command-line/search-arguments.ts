/** Whether an argument has a property, among the others. */
export type Argument = (args: readonly string[], at: number) => boolean

/**
 * The first operand is a pattern, unless an option gives it. The value of another option may count as the pattern: then
 * the pattern is judged as a path, which only asks more often.
 */
export function firstOperand(given: RegExp): Argument {
  return (args, at) =>
    !args.some((arg) => given.test(arg)) && args.findIndex((arg) => !/^-./.test(arg)) === at
}

/**
 * The value of an option. In `grep x --label -e file` the option is itself a value, so the word before it must be no
 * option, or one that takes no separate value.
 */
export function separateValue(option: RegExp, complete: RegExp): Argument {
  const takesNothing = (arg: string) => !arg.startsWith('-') || complete.test(arg) || /^--[a-z-]+=/.test(arg)
  return (args, at) => option.test(args[at - 1] ?? '') && takesNothing(args[at - 2] ?? '')
}

const patternValue = separateValue(/^-[inrlowvcHhsqFPx]*e$/, /^-[inrlowvcHhsqFPx]+$/)

/** The pattern of a search, also after `-e` in a cluster whose other letters take no value. */
export const searchPattern: Argument = (args, at) =>
  patternValue(args, at) || firstOperand(/^-[A-Za-z\d]*[ef]|^--(?:r|f|exclude-f)/)(args, at)

/** The folders that a search enters: those that are named, or also the one that it runs in. */
export type SearchReach = 'named' | 'current'

/** Undefined if it opens only the files that are named. */
export function searchedFolders(program: string, args: readonly string[]): SearchReach | undefined {
  if (!isRecursive(program, args)) return undefined
  const hasPattern = args.some((_, at) => patternValue(args, at))
  const operands = args.filter((_, at) => isOperand(args, at)).length
  return operands > (hasPattern ? 0 : 1) ? 'named' : 'current'
}

/** A list of names opens no file. The first argument is certainly not the value of an option. */
function isRecursive(program: string, args: readonly string[]): boolean {
  if (program === 'rg') return args[0] !== '--files'
  return /^[ef]?grep$/.test(program) && args.some((arg) => /^-[A-Za-z\d]*[rd]|^--r(?!eg)/.test(arg))
}

/** Options that take no separate value. After any other, a word may be its value. */
const complete =
  /^-[A-Za-z\d]*[abcEFGHhIilLnNopPqrSsUuvwxyz\d]$|^--[a-z-]+=|^--(?:recursive|hidden|no-ignore|multiline|(?:ignore|smart)-case|line-number|count|colou?r|(?:fixed|no)-[a-z]+|(?:extended|perl|word)-regexp|invert-match|files-with(?:out)?-match(?:es)?|only-matching|stats|json)$/

/** True if an argument is certainly an operand. */
function isOperand(args: readonly string[], at: number): boolean {
  const [before = '', word = ''] = [args[at - 1], args[at]]
  return !/^-./.test(word) && (!/^-./.test(before) || complete.test(before))
}
