import type { FileReading, Warning } from '@mutsumi/schema'
import type { WorkspaceView } from '../documents/workspace-view.js'
import { displayText } from '../ground/error-text.js'
import { warningWords } from '../ground/warning-words.js'
import { withoutTags } from '../text/without-tags.js'
import { findRulesFile, rulesText, usersOwn } from './rules-file.js'

export interface ProjectRules {
  readonly files: readonly RulesFile[]
  readonly warnings: readonly Warning[]
}

/** A file of L2. */
export interface RulesFile {
  /** `user:AGENTS.md` is the user's own. */
  readonly name: string
  readonly owner: RulesOwner
  readonly reading: FileReading
}

export type RulesOwner = 'User' | 'Project'

/** The files of L2: at the root, in the order of `names`, each in any letter case. */
export async function readProjectRules(
  view: WorkspaceView,
  names: readonly string[],
  owner: RulesOwner = 'Project',
): Promise<ProjectRules> {
  const files: RulesFile[] = []
  const warnings: Warning[] = []
  for (const wanted of names) {
    const found = await findRulesFile(view, '', wanted)
    if (found === undefined) continue
    const { reading } = found
    const name = owner === 'User' ? usersOwn + found.name : found.name
    if (reading.kind === 'file' && reading.text.trim() !== '') files.push({ name, owner, reading })
    if (reading.kind === 'file' && !reading.truncated) continue
    const words =
      reading.kind === 'fault'
        ? warningWords('project-rules-unread', reading.message)
        : reading.kind === 'file'
          ? warningWords('project-rules-in-part', reading.size)
          : warningWords('project-rules-no-text')
    warnings.push({ code: 'project-rules', ...words, source: name, line: 1, column: 1 })
  }
  return { files, warnings }
}

/** The text of L2; empty if there are no rules. */
export function projectRulesText(
  files: readonly RulesFile[],
  rules: readonly { readonly key: string; readonly content: string }[],
): string {
  const sections = [
    ...files.map(projectRulesSection),
    ...rules.map(({ key, content }) => section(key, content)),
  ]
  return sections.join('\n\n')
}

/** The text that one file adds to L2. */
export function projectRulesSection({ name, owner, reading }: RulesFile): string {
  const shown = owner === 'User' ? name.slice(usersOwn.length) : name
  return section(shown, rulesText(shown, reading), owner)
}

/** Anyone can write a rule, in a repository or in a pull request, so it must not look like our words or the user's. */
function section(name: string, text: string, owner: RulesOwner = 'Project'): string {
  return withoutTags(`${owner} rules (${displayText(name)}):\n\n${text.trim()}`)
}
