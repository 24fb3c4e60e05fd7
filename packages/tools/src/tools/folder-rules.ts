import type { SessionMemory } from '../session-memory/session-memory.js'
import type { Workspace } from '../workspace/workspace.js'

export interface FolderRulesRequest {
  readonly workspace: Workspace
  readonly allowed: readonly string[]
  readonly memory: SessionMemory
}

/** The names of a folder's rules file; the second counts if the first is absent. */
const names = ['agents.md', 'claude.md'] as const

/**
 * Rules files in the folders between the root and a file, relative to the root, that the model does not know about
 * yet. Each folder is checked once per session. The root's own rules are in every request anyway.
 */
export function newFolderRules(absolute: string, request: FolderRulesRequest): readonly string[] {
  const { root } = request.workspace
  if (!absolute.startsWith(`${root}/`)) return []
  const folders = absolute
    .slice(root.length + 1)
    .split('/')
    .slice(0, -1)
  return folders.flatMap((_, depth) => rulesIn(folders.slice(0, depth + 1).join('/'), request))
}

function rulesIn(folder: string, { workspace, allowed, memory }: FolderRulesRequest): string[] {
  if (memory.folders.has(folder)) return []
  memory.folders.add(folder)
  const listing = workspace.list(`${workspace.root}/${folder}`, allowed)
  if (listing.kind !== 'directory') return []
  const files = listing.entries.filter(({ directory }) => !directory).map(({ name }) => name)
  const found = names.map((wanted) => files.find((name) => name.toLowerCase() === wanted)).find(Boolean)
  if (found === undefined) return []
  const path = `${folder}/${found}`
  return memory.files.lastSeen(`${workspace.root}/${path}`) === undefined ? [path] : []
}
