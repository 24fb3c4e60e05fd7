import type { DirectoryReading, FileReading, Reading } from '@mutsumi/schema'
import type { WorkspaceView } from '../documents/workspace-view.js'
import { displayText } from '../ground/error-text.js'

/** Alternative names, if a folder does not have the wanted file. */
const standIns: Readonly<Record<string, string>> = { 'AGENTS.md': 'CLAUDE.md' }

/** Whether a file of this name also counts in folders below the root. */
export function isFolderRule(name: string): boolean {
  return Object.hasOwn(standIns, name)
}

/** The names of a rules file, the wanted one first. */
export function rulesFileNames(wanted: string): readonly string[] {
  const standIn = standIns[wanted]
  return standIn === undefined ? [wanted] : [wanted, standIn]
}

/** The prefix of the user's own rules, which distinguishes them from the project's. */
export const usersOwn = 'user:'

/** A folder's rules file: the wanted one, or an alternative. `folder` is relative to the root. */
export async function findRulesFile(
  view: WorkspaceView,
  folder: string,
  wanted: string,
): Promise<{ readonly name: string; readonly reading: Reading } | undefined> {
  const path = folder === '' ? view.root : `${view.root === '/' ? '' : view.root}/${folder}`
  const listing = await view.read(path)
  if (listing.kind !== 'directory') return undefined
  const standIn = standIns[wanted]
  const name = findName(listing, wanted) ?? (standIn === undefined ? undefined : findName(listing, standIn))
  if (name === undefined) return undefined
  return { name, reading: await view.read(`${path === '/' ? '' : path}/${name}`) }
}

/** Rules in the missing part apply too, so a note tells the model to read the rest. */
export function rulesText(name: string, { text, size, truncated }: FileReading): string {
  if (!truncated) return text
  return `${text.trim()}\n> Truncated: ${displayText(name)} is ${size} bytes, and only its beginning is shown here. Read the rest of the file before you act on it.`
}

/** Exact spelling first, then any letter case, then the first by code unit, so that every machine picks the same. */
function findName(root: DirectoryReading, wanted: string): string | undefined {
  const files = root.entries.filter((entry) => !entry.directory).map((entry) => entry.name)
  if (files.includes(wanted)) return wanted
  return files.find((name) => name.toLowerCase() === wanted.toLowerCase())
}
