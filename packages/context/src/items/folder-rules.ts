import type { FileReading, Warning } from '@mutsumi/schema'
import type { WorkspaceView } from '../documents/workspace-view.js'
import { problemText, warningWords } from '../ground/warning-words.js'
import type { ItemContentCache, PlacedItem } from './item-content.js'
import type { CollectedRules } from './rules.js'
import { findRulesFile, isFolderRule, rulesText } from './rules-file.js'

/** The most folders whose rules one request includes. A pattern may include files from very many. */
const mostFolders = 20

/**
 * The rules of folders below the root: if a file of a folder is in the context, the folder's `AGENTS.md` is a rule of
 * the ghost block. The second system message does not change, so the prompt cache stays valid.
 */
export async function collectFolderRules(
  items: readonly PlacedItem[],
  view: WorkspaceView,
  { names, cache }: { readonly names: readonly string[]; readonly cache: ItemContentCache },
): Promise<CollectedRules> {
  const name = names.find(isFolderRule)
  if (name === undefined) return { items: [], warnings: [] }
  const shown = new Set(items.map(({ content }) => content.id))
  const rules: PlacedItem[] = []
  const warnings: Warning[] = []
  for (const folder of await foldersOf(items, view)) {
    const found = await findRulesFile(view, folder, name)
    if (found === undefined || shown.has(`file:${folder}/${found.name}`)) continue
    const key = `${folder}/${found.name}`
    if (rules.length === mostFolders) {
      warnings.push(warning(key, problemText('too-many-folder-rules', mostFolders)))
      break
    }
    const { reading } = found
    if (reading.kind !== 'file')
      warnings.push(warning(key, reading.kind === 'fault' ? reading.message : problemText('no-text-file')))
    else if (reading.text.trim() !== '') rules.push({ content: ruleOf(key, reading, cache) })
  }
  return { items: rules, warnings }
}

function ruleOf(key: string, reading: FileReading, cache: ItemContentCache) {
  const { size, truncated } = reading
  return cache.get(`rule:${key}`, reading, () => ({
    id: `rule:${key}`,
    type: 'rule',
    key,
    content: rulesText(key, reading),
    size,
    ...(truncated ? { truncated: true as const } : {}),
  }))
}

function warning(source: string, message: string): Warning {
  return { code: 'project-rules', ...warningWords('folder-rules', message), source, line: 1, column: 1 }
}

/** Every folder below the root that contains one of the files, or is one of the items, outer folders first. */
async function foldersOf(items: readonly PlacedItem[], view: WorkspaceView): Promise<string[]> {
  const folders = new Set<string>()
  for (const { content } of items) {
    if (content.type !== 'file' || content.error || content.key.startsWith('/')) continue
    const path = content.key.replace(/:\d+(?::\d+)?$/, '')
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at))
    if (content.hash === undefined && path !== '.' && (await isFolder(view, path))) folders.add(path)
  }
  return [...folders].sort()
}

async function isFolder(view: WorkspaceView, path: string): Promise<boolean> {
  return (await view.read(`${view.root}/${path}`)).kind === 'directory'
}
