import type { SimpleCommand } from './command-line.js'
import {
  isListed,
  type Program,
  packageRunners,
  programs,
  readers,
  runners,
  runnerVerbs,
  unpackers,
} from './dangerous-programs.js'
import { isNearby } from './nearby-path.js'
import { programName } from './program-name.js'
import type { ShellWord } from './shell-word.js'

// A prefix rule such as `Bash(git log:*)` says "this program, with any arguments". The tables below are
// the arguments that turn a harmless program into another one: they run a command, load code, write a
// file, or move to another folder. A command found here is allowed only by a rule that spells it out
// from the first word to the last, or by a rule for the whole tool. Of a program that stands in no table
// a prefix rule covers plain words only: see docs/decisions/0008.
//
// | a command                                     | asks because                                   |
// |-----------------------------------------------|------------------------------------------------|
// | `env x`, `sudo x`, `sh -c x`, `xargs x`, …    | its arguments are another command              |
// | `cd x`, `export A=b`, `alias`, `source`, …    | it changes what the rest of the line means     |
// | `vim`, `less`, `man`, …                       | it can start a shell from within               |
// | `find -exec`, `git log --output`, `rg --pre`… | that option runs a command or writes a file    |
// | `git -c a.b=c log`, `npm --prefix x test`     | options before the subcommand change the whole |
// | `git difftool`, `npm exec`                    | that subcommand runs others                    |
// | `git x` by a rule for `git`                   | nobody knows that subcommand                   |
// | `unzip x`, `patch`, `tar x`                   | it writes files that the line does not name    |
// | `node`, `python -`                            | it runs what comes through a pipe              |
// | `npx x`, `python -m x`, `uv run x`            | it is any command, unless the rule names `x`   |
// | `npm test -- --config x`, `vitest --root x`   | of these programs only some options are known  |
// | `git e*`, `awk src/*`                         | a file's name could be a subcommand, a script  |
// | `awk '{system(…)}'`, `sed 's/x/y/e'`          | the script runs commands or writes files       |

/** Why no prefix rule can allow this command; undefined where one can. `pinned`: how many words the rule names. */
export function dangerOf({ words }: Pick<SimpleCommand, 'words'>, pinned = 0): string | undefined {
  const [first, ...rest] = words
  if (first === undefined) return undefined
  const name = nameOf(first)
  const runner = packageRunners.find((names) => isBegunBy(names, name, rest))
  if (runner)
    return packageDanger([name, ...runner.slice(1)], words.slice(runner.length), pinned - runner.length)
  if (runners.has(name)) return `${name} can run or change other commands`
  if (unpackers.has(name)) return `${name} writes files that the line does not name`
  const program = programs.get(name)
  if (program === undefined) return undefined
  const args = rest.map((word) => word.text)
  return (
    globDanger(name, program, rest) ??
    subcommandDanger(name, { ...program, isNamed: pinned > 1 }, args) ??
    argumentDanger(name, program, args)
  )
}

/**
 * Nobody here knows what the options of an unlisted program do: `-e` may be a script, `--pager` a program. Undefined
 * where behind the `pinned` words of a rule stand plain words only.
 */
export function strangenessOf({ words }: Pick<SimpleCommand, 'words'>, pinned: number): string | undefined {
  const { name, at } = innermost(words)
  if (name === undefined || isListed(name)) return undefined
  const strange = words.slice(Math.max(pinned, at + 1)).find(({ text }) => !isPlain(text))
  return strange && `it is not known what ${name} does with ${strange.text}`
}

/** A command that only reads and prints. */
export function isReader({ words: [first] }: Pick<SimpleCommand, 'words'>): boolean {
  return first === undefined || readers.has(nameOf(first))
}

export function nameOf({ text }: ShellWord): string {
  return programName(text, isListed)
}

/** Letters, digits and what stands between them in names: no option, no setting, no path that leads away. */
function isPlain(text: string): boolean {
  return /^[\p{L}\p{N}_.][\p{L}\p{N}_./:,%#-]*$/u.test(text) && isNearby(text)
}

/** The program behind `npx` and its like, and where its name stands. */
function innermost(words: readonly ShellWord[]): { readonly name: string | undefined; readonly at: number } {
  let at = 0
  for (;;) {
    const word = words[at]
    if (word === undefined) return { name: undefined, at }
    const name = nameOf(word)
    const rest = words.slice(at + 1)
    const runner = packageRunners.find((names) => isBegunBy(names, name, rest))
    if (runner === undefined) return { name, at }
    at += runner.length + verbCount(name, words.slice(at + runner.length))
  }
}

function isBegunBy(names: readonly string[], name: string, rest: readonly ShellWord[]): boolean {
  return names.every((expected, at) => (at === 0 ? name : rest[at - 1]?.text) === expected)
}

function verbCount(name: string, inner: readonly ShellWord[]): number {
  return runnerVerbs.has(name) && runnerVerbs.get(name) === inner[0]?.text ? 1 : 0
}

/** `npx tsc --noEmit` is `tsc --noEmit`, provided that the rule itself says `tsc`. */
function packageDanger(
  names: readonly string[],
  behind: readonly ShellWord[],
  pinned: number,
): string | undefined {
  const skipped = verbCount(names[0] ?? '', behind)
  const inner = behind.slice(skipped)
  const isRun = skipped > 0 || !runnerVerbs.has(names[0] ?? '')
  if (!isRun || pinned - skipped < 1 || inner[0] === undefined || inner[0].text.startsWith('-'))
    return `${names.join(' ')} can run any command`
  return dangerOf({ words: inner }, pinned - skipped)
}

/** A file can be called `exec`, or like a script: where arguments are not just files, a name is not just a name. */
function globDanger(name: string, program: Program, args: readonly ShellWord[]): string | undefined {
  const { subcommands, argument, isHarmless, takesScript } = program
  if (!(subcommands || argument || isHarmless)) return undefined
  const glob = args.find(
    ({ text, certainty }) => certainty === 'glob' && (takesScript || !text.includes('/')),
  )
  return glob && `${name} ${glob.text}: a name of a file could become more than that`
}

function subcommandDanger(
  name: string,
  program: Program & { readonly isNamed: boolean },
  args: readonly string[],
): string | undefined {
  if (program.subcommands === undefined) return undefined
  const subcommand = subcommandOf(program, args)
  if (subcommand === undefined || program.known?.includes(subcommand)) return undefined
  if (subcommand.startsWith('-')) return `${name} ${subcommand}: an option before the subcommand`
  if (program.subcommands.includes(subcommand)) return `${name} ${subcommand} can run other commands`
  const isMeant = program.isNamed || program.known === undefined
  return isMeant ? undefined : `a rule for all of ${name} does not mean ${name} ${subcommand}`
}

function subcommandOf({ mayPrecede = [] }: Program, args: readonly string[]): string | undefined {
  return args.find((arg) => !mayPrecede.includes(arg))
}

function argumentDanger(name: string, program: Program, args: readonly string[]): string | undefined {
  if (program.isHarmless?.(args) === false) return `${name} may run commands or write files here`
  const letters = (program.letters ?? '') + (program.lettersOf?.[subcommandOf(program, args) ?? ''] ?? '')
  const found = args.find((arg) => isDangerous({ ...program, letters }, arg))
  return found === undefined ? undefined : `${name} ${found} can run commands or write files`
}

function isDangerous({ options = [], letters = '', argument }: Program, arg: string): boolean {
  if (argument?.test(arg)) return true
  if (arg.startsWith('--')) return options.some((option) => isShortFor(arg, option))
  return /^-[^-]/.test(arg) && [...letters].some((letter) => flagsOf(arg).includes(letter))
}

/** `--outp=x` for `--output`. */
function isShortFor(arg: string, option: string): boolean {
  const [name = ''] = arg.split('=')
  return name.length > 2 && option.startsWith(name)
}

/** The letters of `-abc`, up to what cannot be one. */
function flagsOf(arg: string): string {
  return /^-([A-Za-z\d]*)/.exec(arg)?.[1] ?? ''
}
