import type { Warning } from '@mutsumi/schema'
import { type Expander, truncatedWords } from '../documents/expander.js'
import type { MacroContext } from '../documents/macro-context.js'
import type { WorkspaceView } from '../documents/workspace-view.js'
import { includeError } from '../ground/error-text.js'
import { problemText, warningWords } from '../ground/warning-words.js'
import { failedContent, type ItemContentCache, type PlacedItem, ruleContent } from './item-content.js'
import { usersOwn } from './rules-file.js'

export const rulesFolder = '.mutsumi/rules'

export interface CollectedRules {
  readonly items: readonly PlacedItem[]
  readonly warnings: readonly Warning[]
}

export interface RulesPlace {
  /** Relative to the root. */
  readonly path: string
  /** A prefix for each rule's name. */
  readonly prefix: string
}

const workspaceRules: RulesPlace = { path: rulesFolder, prefix: '' }

/**
 * The rules in `.mutsumi/rules`, sorted by name. Each is expanded with the session's macros and the definitions of the
 * rules before it. A rule that is empty after expansion is not sent.
 */
export async function collectRules(
  expander: Expander,
  macros: MacroContext,
  cache: ItemContentCache,
  { path: rulesPath, prefix }: RulesPlace = workspaceRules,
): Promise<CollectedRules> {
  const { view } = expander
  if (!(await mayHaveRules(view, rulesPath))) return { items: [], warnings: [] }
  const folder = await view.read(`${view.root === '/' ? '' : view.root}/${rulesPath}`)
  const items: PlacedItem[] = []
  const warnings: Warning[] = []
  const problem = folder.kind === 'fault' ? folder.message : problemText('no-folder')
  if (folder.kind !== 'directory' && !(folder.kind === 'fault' && folder.code === 'NOT_FOUND'))
    warnings.push({
      code: 'rules',
      ...warningWords('rules-unread', problem),
      source: rulesPath,
    })
  if (folder.kind !== 'directory') return { items, warnings }
  const names = folder.entries
    .filter((entry) => !entry.directory && entry.name.toLowerCase().endsWith('.md'))
    .map(({ name }) => name)
  const fail = (name: string, message: string) => {
    warnings.push({ code: 'rules', message, source: `${rulesPath}/${name}`, line: 1, column: 1 })
    items.push({
      content: failedContent(cache, { type: 'rule', key: prefix + name }, includeError(name, message)),
    })
  }
  let current = macros
  for (const name of names) {
    if (prefix === '' && name.startsWith(usersOwn)) {
      warnings.push({ code: 'rules', ...forged, source: `${rulesPath}/${name}`, line: 1, column: 1 })
      continue
    }
    const [resource] = await view.openKeys([`${rulesPath}/${name}`])
    if (!resource) continue
    if (resource.kind === 'failed') fail(name, resource.message)
    else if (resource.kind === 'image') fail(name, problemText('is-image'))
    else {
      const expanded = await expander.expandResource(resource, current)
      if ('problem' in expanded) fail(name, expanded.problem)
      else {
        for (const warning of expanded.warnings.values()) warnings.push(warning)
        if (resource.truncated)
          warnings.push({
            code: 'truncated',
            ...truncatedWords(resource),
            source: resource.key,
            line: 1,
            column: 1,
          })
        current = expanded.macros
        if (expanded.content.trim() !== '')
          items.push({ content: ruleContent(cache, prefix + name, resource, expanded) })
      }
    }
  }
  return { items, warnings }
}

const forged = warningWords('forged-rule', usersOwn)

/** The root's listing is needed anyway and is usually cached. Opening a missing folder costs more. */
async function mayHaveRules(view: WorkspaceView, path: string): Promise<boolean> {
  const root = await view.read(view.root)
  const [name] = path.split('/', 1)
  return root.kind !== 'directory' || root.entries.some((entry) => entry.name.toLowerCase() === name)
}
