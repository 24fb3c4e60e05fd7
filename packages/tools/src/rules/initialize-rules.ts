import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toPosix } from '../workspace/paths.js'

export interface InitializedRules {
  /** Absolute, POSIX separators. */
  readonly folder: string
  readonly created: readonly string[]
  /** Files that already existed and were not changed. */
  readonly kept: readonly string[]
}

/** Creates `.mutsumi/rules` and writes missing default rules. A user's files are never overwritten. */
export function initializeRules(root: string, rules: Readonly<Record<string, string>>): InitializedRules {
  const names = Object.keys(rules).sort()
  names.forEach(checkName)
  const folder = makeFolder(makeFolder(root, '.mutsumi'), 'rules')
  const created = names.filter((name) => writeIfAbsent(join(folder, name), rules[name] ?? ''))
  return { folder: toPosix(folder), created, kept: names.filter((name) => !created.includes(name)) }
}

function checkName(name: string): void {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name))
    throw new Error(`${JSON.stringify(name)} is not a file name for a rule`)
}

/** A link here could redirect the writing out of the project, so any link is refused. */
function makeFolder(parent: string, name: string): string {
  const folder = join(parent, name)
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) mkdirSync(folder)
  else if (found.isSymbolicLink())
    throw new Error(`${folder} is a link; rules are only written to a real folder`)
  else if (!found.isDirectory())
    throw new Error(`${folder} is not a folder; move it away to create rules there`)
  return folder
}

/** `wx` creates or fails, and follows no link, so there is no race between checking and writing. */
function writeIfAbsent(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
