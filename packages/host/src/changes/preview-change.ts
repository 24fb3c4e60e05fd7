import {
  createSessionMemory,
  type LazyTool,
  type PermissionQuestion,
  type Tool,
  type Workspace,
} from '@mutsumi/tools'
import { markAsRead, toPath } from '@mutsumi/tools/parts'

/** The diff of a planned change, or the reason why there is none. */
export type ChangePreview =
  | { readonly kind: 'diff'; readonly diff: string }
  | { readonly kind: 'none'; readonly reason: string }

/** Lets the tool itself work out its change, without writing. Undefined for tools whose changes have no diff. */
export async function previewChange(
  { call, allowed, touched }: PermissionQuestion,
  { workspace, tools }: { readonly workspace: Workspace; readonly tools: readonly (Tool | LazyTool)[] },
): Promise<ChangePreview | undefined> {
  const named = tools.find(({ name }) => name === call.name)
  if (!named || !changing.has(call.name)) return undefined
  const tool = 'load' in named ? await named.load() : named
  const memory = createSessionMemory()
  // A tool refuses files that the agent has not read. The preview only needs the change, so we mark them as read.
  for (const path of touched.paths ?? []) {
    const absolute = toPath(path, workspace.root)
    if (absolute !== undefined) markAsRead(absolute, { workspace, allowed, files: memory.files })
  }
  const context = { workspace, allowed, memory, wholeDiff: true as const }
  const outcome = await tool.call({ ...call.args, dry_run: true }, context)
  if (outcome.status === 'error') return { kind: 'none', reason: outcome.error.message }
  const { diff_preview: diff } = outcome.data
  return typeof diff === 'string' ? { kind: 'diff', diff } : undefined
}

const changing: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write'])
