import { because, type Reason } from '../reasons/reason.js'
import type { SimpleCommand } from './command-line.js'
import { interpreters, knownCommand, knownProgram, readers, runnerLength } from './known-programs.js'
import { programName } from './program-name.js'
import type { ShellWord } from './shell-word.js'

/**
 * Why no prefix rule can allow this command; undefined if one can. `pinned`: how many words the rule names.
 *
 * | a command                                   | asks because                                          |
 * |---------------------------------------------|-------------------------------------------------------|
 * | `env x`, `sudo x`, `sh -c x`, `cd x`, `vim`  | the program is not in the list of plain programs       |
 * | `npx x`, `python -m x`, `uv run x`           | it is any command, unless the rule names a known `x`   |
 * | `find -exec`, `git log --output`, `tar x`    | these arguments are not known to be plain              |
 * | `git e*`, `awk src/*`                        | a file's name could be a subcommand, or a script       |
 * | `make test deploy` under `make test:*`       | a rule that names a target means no other one          |
 */
export function dangerOf({ words }: Pick<SimpleCommand, 'words'>, pinned = 0): Reason | undefined {
  const [first, ...rest] = words
  if (first === undefined) return undefined
  const name = nameOf(first)
  const args = rest.map((word) => word.text)
  const before = runnerLength(name, args)
  if (before > 0) return innerDanger(words, before, pinned)
  const program = knownCommand(first.text, name)
  if (program === undefined) return because('unknown-program', name)
  const wild = rest.find((word) => word.certainty === 'glob' && !isTame(word.text, program.wildcards))
  if (wild) return because('wild-name', name, wild.text)
  const target = program.targets ? furtherTarget(args, pinned - 1) : undefined
  if (target !== undefined) return because('further-target', name, target)
  return program.isPlain(args) ? undefined : because('not-plain', name)
}

/** The target of a build tool that the rule does not name. A rule without targets means all of them. */
function furtherTarget(args: readonly string[], pinned: number): string | undefined {
  // `-j 4`: the number is not a target.
  const isTarget = (arg: string, at: number) =>
    !arg.startsWith('-') && !(/^\d+$/.test(arg) && /^-[jl]$/.test(args[at - 1] ?? ''))
  const targets = args.flatMap((arg, at) => (isTarget(arg, at) ? [{ arg, at }] : []))
  const [first] = targets
  return first !== undefined && first.at < pinned ? targets.find(({ at }) => at >= pinned)?.arg : undefined
}

/** `npx tsc --noEmit` counts as `tsc --noEmit`, if the rule itself names `tsc`, without a path. */
function innerDanger(words: readonly ShellWord[], before: number, pinned: number): Reason | undefined {
  const inner = words.slice(before)
  const [program] = inner
  if (program === undefined || pinned <= before || knownProgram(program.text) === undefined)
    return because(
      'runs-any-command',
      words
        .slice(0, before)
        .map(({ text }) => text)
        .join(' '),
    )
  return dangerOf({ words: inner }, pinned - before)
}

function isTame(text: string, wildcards: 'any' | 'in folders' | 'none'): boolean {
  return wildcards === 'any' || (wildcards === 'in folders' && text.includes('/'))
}

/** A command that only reads and prints. A program in the workspace may do anything, whatever its name is. */
export function isReader({ words: [first] }: Pick<SimpleCommand, 'words'>): boolean {
  if (first === undefined) return true
  return readers.has(nameOf(first)) && (!first.text.includes('/') || systemProgram.test(first.text))
}

/** A program that the system brought. */
export const systemProgram = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/

/** True if the words of a command may themselves be a program. */
export function takesCode({ words: [first] }: Pick<SimpleCommand, 'words'>): boolean {
  if (first === undefined) return false
  const name = nameOf(first)
  return interpreters.has(name) || knownProgram(name) === undefined
}

export function nameOf({ text }: ShellWord): string {
  return programName(text, (name) => interpreters.has(name) || name === 'gcc')
}
