import { join } from 'node:path'
import { configLimit, kindOf, readSmallFile } from '../protected/git-places.js'

/** The files with git's next steps if the user continues a rebase, a cherry-pick or a revert. */
const todoFiles = ['rebase-merge/git-rebase-todo', 'sequencer/todo']

const commandLine = /^[ \t]*(?:x|exec)[ \t]/m

/** The files with the strategy of these steps: git runs `git merge-STRATEGY`, and a slash leads into the work tree. */
const strategyFiles = ['rebase-merge/strategy', 'rebase-apply/strategy', 'sequencer/opts']

const gitsOwn = /^(?:ort|recursive|resolve|octopus|ours|subtree)?\s*$/

const foreignOption = /strategy[ \t]*=(?![ \t]*(?:ort|recursive|resolve|octopus|ours|subtree)[ \t]*$)/im

/**
 * The plans in a repository's folder with a line that git would run as a command. Git itself writes such lines only on
 * request.
 */
export function plannedCommandsIn(folder: string): string[] {
  return todoFiles
    .map((name) => join(folder, name))
    .filter((path) => {
      const kind = kindOf(path)
      return kind === 'link' || (kind === 'file' && isCommandPlan(readSmallFile(path)))
    })
    .concat(strategyFiles.map((name) => join(folder, name)).filter(hasForeignStrategy))
}

/** A plan longer than the limit may contain anything. */
function isCommandPlan(text: string): boolean {
  return text.length >= configLimit || commandLine.test(text)
}

function hasForeignStrategy(path: string): boolean {
  const kind = kindOf(path)
  if (kind !== 'file') return kind === 'link'
  const text = readSmallFile(path)
  return path.endsWith('/opts') ? foreignOption.test(text) : !gitsOwn.test(text)
}
