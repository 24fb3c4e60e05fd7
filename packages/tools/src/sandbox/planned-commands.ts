import { join } from 'node:path'
import { isTooLong, kindOf, readSmallFile } from '../protected/git-places.js'
import { statOf } from '../workspace/look-at.js'

/** The files with git's next steps if the user continues a rebase, a cherry-pick or a revert. */
const todoFiles = ['rebase-merge/git-rebase-todo', 'sequencer/todo']

const commandLine = /^[ \t]*(?:x|exec)[ \t].*/gm

/** The files with the strategy of these steps: git runs `git merge-STRATEGY`, and a slash leads into the work tree. */
const strategyFiles = ['rebase-merge/strategy', 'rebase-apply/strategy', 'sequencer/opts']

const gitsOwn = /^(?:ort|recursive|resolve|octopus|ours|subtree)?\s*$/

const foreignOption = /strategy[ \t]*=(?![ \t]*(?:ort|recursive|resolve|octopus|ours|subtree)[ \t]*$)/im

/** By path: what a plan makes git run. */
export type PlannedCommands = ReadonlyMap<string, string>

/**
 * The plans in a repository's folder that make git run something, one line for each command. Git itself writes such
 * lines only on request.
 */
export function plannedCommandsIn(folder: string): [path: string, commands: string][] {
  const read = (names: readonly string[], commandsIn: (path: string) => string) =>
    names.flatMap((name): [string, string][] => {
      const path = join(folder, name)
      const kind = kindOf(path)
      const commands = kind === 'file' ? commandsIn(path) : kind === 'link' ? 'a link' : ''
      return commands === '' ? [] : [[path, commands]]
    })
  return [...read(todoFiles, commandLinesIn), ...read(strategyFiles, foreignStrategyIn)]
}

/**
 * The plans with commands that were not planned before. A command that continues the user's own rebase leaves the same
 * plan with fewer lines.
 */
export function newlyPlanned(before: PlannedCommands, after: PlannedCommands): string[] {
  return [...after].flatMap(([path, commands]) => {
    const known = new Set(before.get(path)?.split('\n'))
    return commands.split('\n').every((line) => known.has(line)) ? [] : [path]
  })
}

/** A plan longer than the limit may contain anything. */
function commandLinesIn(path: string): string {
  const { ino, ctimeMs } = statOf(path) ?? {}
  if (isTooLong(path)) return `too long: ${ino} ${ctimeMs}`
  return (readSmallFile(path).match(commandLine) ?? []).join('\n')
}

function foreignStrategyIn(path: string): string {
  const text = readSmallFile(path)
  const isForeign = path.endsWith('/opts') ? foreignOption.test(text) : !gitsOwn.test(text)
  return isForeign ? text : ''
}
