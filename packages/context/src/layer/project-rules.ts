import type { DirectoryReading, FileReading, Warning } from '@mutsumi/schema'
import { displayText } from '../expand/error-text.js'
import type { WorkspaceView } from '../expand/workspace-view.js'
import { withoutTags } from './without-tags.js'

export interface ProjectRules {
  readonly files: readonly { readonly name: string; readonly reading: FileReading }[]
  readonly warnings: readonly Warning[]
}

/** The files of L2: at the workspace's root, in the order of `names`, each in any letter case. */
export async function readProjectRules(view: WorkspaceView, names: readonly string[]): Promise<ProjectRules> {
  const root = await view.read(view.root)
  if (root.kind !== 'directory') return { files: [], warnings: [] }
  const files: { name: string; reading: FileReading }[] = []
  const warnings: Warning[] = []
  for (const wanted of names) {
    const name = findName(root, wanted)
    if (name === undefined) continue
    const reading = await view.read(`${view.root === '/' ? '' : view.root}/${name}`)
    if (reading.kind === 'file' && reading.text.trim() !== '') files.push({ name, reading })
    if (reading.kind === 'file' && !reading.truncated) continue
    const message =
      reading.kind === 'fault'
        ? `the project's rules could not be read: ${reading.message}`
        : reading.kind === 'file'
          ? `the project's rules are shown only in part: ${reading.size} bytes`
          : `the project's rules are not a text file`
    warnings.push({ code: 'project-rules', message, source: name, line: 1, column: 1 })
  }
  return { files, warnings }
}

/** The text of L2; empty where there is nothing to say. */
export function projectRulesText(
  files: ProjectRules['files'],
  rules: readonly { readonly key: string; readonly content: string }[],
): string {
  const sections = [
    ...files.map(({ name, reading }) => section(name, shownText(name, reading))),
    ...rules.map(({ key, content }) => section(key, content)),
  ]
  return sections.join('\n\n')
}

/** Anyone can write a rule, in a repository or by a pull request: it must not pass for what we or the user say. */
function section(name: string, text: string): string {
  return withoutTags(`Project rules (${displayText(name)}):\n\n${text.trim()}`)
}

/** Rules that go on where the text ends bind too, so the model hears that there are more. */
function shownText(name: string, { text, size, truncated }: FileReading): string {
  if (!truncated) return text
  return `${text.trim()}\n> Truncated: ${displayText(name)} is ${size} bytes, and only its beginning stands here. Read the file for the rest before you act on it.`
}

/** Exact spelling first, then any letter case, then the first by code unit, so that every machine picks the same. */
function findName(root: DirectoryReading, wanted: string): string | undefined {
  const files = root.entries.filter((entry) => !entry.directory).map((entry) => entry.name)
  if (files.includes(wanted)) return wanted
  return files.find((name) => name.toLowerCase() === wanted.toLowerCase())
}
