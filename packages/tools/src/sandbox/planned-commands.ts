import { join } from 'node:path'
import { kindOf, readSmallFile } from '../protected/git-places.js'

/** The files with git's next steps if the user continues a rebase, a cherry-pick or a revert. */
const todoFiles = ['rebase-merge/git-rebase-todo', 'sequencer/todo']

const commandLine = /^[ \t]*(?:x|exec)[ \t]/m

/**
 * The plans in a repository's folder with a line that git would run as a command. Git itself writes such lines only on
 * request.
 */
export function plannedCommandsIn(folder: string): string[] {
  return todoFiles
    .map((name) => join(folder, name))
    .filter((path) => {
      const kind = kindOf(path)
      return kind === 'link' || (kind === 'file' && commandLine.test(readSmallFile(path)))
    })
}
