import { nameOf } from './command-dangers.js'
import type { SimpleCommand } from './command-line.js'
import { fileBringing, interpreters, linkless, placers } from './known-programs.js'

// A path is checked before the line runs. If the line itself may create a link there, it leads elsewhere by the time
// it is used: `git checkout other -- out/l; echo x > out/l/hook`.

/** The command of a line after which the targets of later writes are no longer known; undefined if there is none. */
export function linkMakerBeside(
  command: SimpleCommand,
  line: readonly SimpleCommand[],
  use: 'redirection' | 'words',
): string | undefined {
  const name = command.words[0] === undefined ? '' : nameOf(command.words[0])
  const others = line.filter((other) => other !== command)
  // An interpreter's file may be a pipe under another name, but only through a link.
  if (use === 'words' && interpreters.has(name))
    return others.some(({ words: [first] }) => first && nameOf(first) === 'ln') ? 'ln' : undefined
  if (use === 'words' && !placers.has(name)) return undefined
  return others.find(mayLeaveLinks)?.words[0]?.text
}

const linkBringers = new Set(['ln', 'install', 'rsync', 'tar', 'unzip', 'patch'])

/** True if another command of the line is known to put links into the workspace: `ln -s / x && cat x/etc/passwd`. */
export function bringsLinksBeside(command: SimpleCommand, line: readonly SimpleCommand[]): boolean {
  return line.some((other) => {
    const [first] = other.words
    if (other === command || first === undefined) return false
    const name = nameOf(first)
    return linkBringers.has(name) || (['cp', 'mv', 'git'].includes(name) && mayLeaveLinks(other))
  })
}

/** Otherwise cp copies the target of a link. */
const copiesLinks = /^(?:-\w*[rRaPdsl]|--)/

function mayLeaveLinks({ words: [first, ...rest] }: SimpleCommand): boolean {
  if (first === undefined) return false
  const name = nameOf(first)
  if (name === 'cp') return rest.some(({ text }) => copiesLinks.test(text))
  if (name !== 'git') return !linkless.has(name)
  const subcommand = rest.find(({ text }) => !text.startsWith('-'))?.text ?? ''
  return fileBringing.has(subcommand)
}
