import { nameOf } from './command-dangers.js'
import type { SimpleCommand } from './command-line.js'
import { fileBringing, interpreters, linkless, placers } from './known-programs.js'

// A path is looked at before the line runs. Where the line itself may put a link there, it leads elsewhere by
// the time it is used: `git checkout other -- out/l; echo x > out/l/hook`.

/** The command of a line after which it is no longer known where another one writes; undefined where there is none. */
export function linkMakerBeside(
  command: SimpleCommand,
  line: readonly SimpleCommand[],
  use: 'redirection' | 'words',
): string | undefined {
  const name = command.words[0] === undefined ? '' : nameOf(command.words[0])
  const others = line.filter((other) => other !== command)
  // What an interpreter is given may be a pipe by another name, and only a link makes it so.
  if (use === 'words' && interpreters.has(name))
    return others.some(({ words: [first] }) => first && nameOf(first) === 'ln') ? 'ln' : undefined
  if (use === 'words' && !placers.has(name)) return undefined
  return others.find(mayLeaveLinks)?.words[0]?.text
}

/** Otherwise cp copies what a link leads to. */
const copiesLinks = /^(?:-\w*[rRaPdsl]|--)/

function mayLeaveLinks({ words: [first, ...rest] }: SimpleCommand): boolean {
  if (first === undefined) return false
  const name = nameOf(first)
  if (name === 'cp') return rest.some(({ text }) => copiesLinks.test(text))
  if (name !== 'git') return !linkless.has(name)
  const subcommand = rest.find(({ text }) => !text.startsWith('-'))?.text ?? ''
  return fileBringing.has(subcommand)
}
