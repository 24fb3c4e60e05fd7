import type { SimpleCommand } from './command-line.js'
import { type Program, packageRunners, programs, runners, unpackers } from './dangerous-programs.js'
import type { ShellWord } from './shell-word.js'

// A prefix rule such as `Bash(git log:*)` says "this program, with any arguments". The tables below are
// the arguments that turn a harmless program into another one: they run a command, load code, write a
// file, or move to another folder. A command found here is allowed only by a rule that spells it out
// from the first word to the last, or by a rule for the whole tool.
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
// | `npx x`                                       | it is any command, unless the rule names `x`   |
// | `git e*`, `awk src/*`                         | a file's name could be a subcommand, a script  |
// | `awk '{system(…)}'`, `sed 's/x/y/e'`          | the script runs commands or writes files       |

/** Why no prefix rule can allow this command; undefined where one can. `pinned`: how many words the rule names. */
export function dangerOf({ words }: Pick<SimpleCommand, 'words'>, pinned = 0): string | undefined {
  const [first, ...rest] = words
  if (first === undefined) return undefined
  // The file system of a Mac takes `ENV` for `env`.
  const name = first.text.slice(first.text.lastIndexOf('/') + 1).toLowerCase()
  if (packageRunners.has(name)) return packageDanger(name, rest, pinned)
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

/** `npx tsc --noEmit` is `tsc --noEmit`, provided that the rule itself says `tsc`. */
function packageDanger(name: string, inner: readonly ShellWord[], pinned: number): string | undefined {
  const [first] = inner
  if (pinned < 2 || first === undefined || first.text.startsWith('-')) return `${name} can run any command`
  return dangerOf({ words: inner }, pinned - 1)
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
  const subcommand = args.find((arg) => !program.mayPrecede?.includes(arg))
  if (subcommand === undefined) return undefined
  if (subcommand.startsWith('-')) return `${name} ${subcommand}: an option before the subcommand`
  if (program.subcommands.includes(subcommand)) return `${name} ${subcommand} can run other commands`
  const isMeant = program.isNamed || (program.known?.includes(subcommand) ?? true)
  return isMeant ? undefined : `a rule for all of ${name} does not mean ${name} ${subcommand}`
}

function argumentDanger(name: string, program: Program, args: readonly string[]): string | undefined {
  if (program.isHarmless)
    return program.isHarmless(args) ? undefined : `${name} may run commands or write files here`
  const found = args.find((arg) => isDangerous(program, arg))
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
