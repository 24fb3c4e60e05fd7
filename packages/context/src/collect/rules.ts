import type { Warning } from '@mutsumi/schema'
import { includeError } from '../expand/error-text.js'
import { type Expander, truncatedMessage } from '../expand/expander.js'
import type { MacroContext } from '../expand/macro-context.js'
import type { WorkspaceView } from '../expand/workspace-view.js'
import { failedContent, type ItemContentCache, type PlacedItem, ruleContent } from './item-content.js'

export const rulesFolder = '.mutsumi/rules'

export interface CollectedRules {
  readonly items: readonly PlacedItem[]
  readonly warnings: readonly Warning[]
}

/** The rules in `.mutsumi/rules`, sorted by name, each expanded under the session's macros. */
export async function collectRules(
  expander: Expander,
  macros: MacroContext,
  cache: ItemContentCache,
): Promise<CollectedRules> {
  const { view } = expander
  if (!(await mayHaveRules(view))) return { items: [], warnings: [] }
  const folder = await view.read(`${view.root === '/' ? '' : view.root}/${rulesFolder}`)
  const items: PlacedItem[] = []
  const warnings: Warning[] = []
  const problem = folder.kind === 'fault' ? folder.message : 'is not a folder'
  if (folder.kind !== 'directory' && !(folder.kind === 'fault' && folder.code === 'NOT_FOUND'))
    warnings.push({
      code: 'rules',
      message: `the rules could not be read: it ${problem}`,
      source: rulesFolder,
    })
  if (folder.kind !== 'directory') return { items, warnings }
  const names = folder.entries
    .filter((entry) => !entry.directory && entry.name.toLowerCase().endsWith('.md'))
    .map(({ name }) => name)
  const fail = (name: string, message: string) => {
    warnings.push({ code: 'rules', message, source: `${rulesFolder}/${name}`, line: 1, column: 1 })
    items.push({ content: failedContent(cache, { type: 'rule', key: name }, includeError(name, message)) })
  }
  for (const name of names) {
    const [resource] = await view.openKeys([`${rulesFolder}/${name}`])
    if (!resource) continue
    if (resource.kind === 'failed') fail(name, resource.message)
    else if (resource.kind === 'image') fail(name, 'is an image')
    else {
      const expanded = await expander.expandResource(resource, macros)
      if ('problem' in expanded) fail(name, expanded.problem)
      else {
        for (const warning of expanded.warnings.values()) warnings.push(warning)
        if (resource.truncated)
          warnings.push({
            code: 'truncated',
            message: truncatedMessage(resource),
            source: resource.key,
            line: 1,
            column: 1,
          })
        items.push({ content: ruleContent(cache, name, resource, expanded) })
      }
    }
  }
  return { items, warnings }
}

/** The root's listing is read anyway, and usually from memory; looking for a folder that is not there is dearer. */
async function mayHaveRules(view: WorkspaceView): Promise<boolean> {
  const root = await view.read(view.root)
  const name = rulesFolder.slice(0, rulesFolder.indexOf('/'))
  return root.kind !== 'directory' || root.entries.some((entry) => entry.name.toLowerCase() === name)
}
