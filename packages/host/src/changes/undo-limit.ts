import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { LazyTool, PermissionQuestion, Tool, Workspace } from '@mutsumi/tools'
import { FileRestorer, isSecretName, realPathOrPlanned, toPath } from '@mutsumi/tools/parts'

/** The effects of a call that undo cannot take back. */
export type UndoLimit =
  /** A command: ignored files, or everything, because there are too many files. */
  | { readonly kind: 'not-ignored' | 'nothing' }
  /** A tool of a server, whose changes are unknown. */
  | { readonly kind: 'unknown' }
  /** A file in a place where undo does not write, or one with secrets, of which nothing is kept. */
  | { readonly kind: 'refused'; readonly path: string; readonly reason: string }

export interface UndoLimitOptions {
  readonly workspace: Workspace
  readonly tools: readonly (Tool | LazyTool)[]
  /** Folders that the user opened besides the workspace. */
  readonly folders: readonly string[]
}

/** Returns undefined if undo can take back everything that the call changes. */
export async function undoLimit(
  { call, effect, touched, allowed }: PermissionQuestion,
  { workspace, tools, folders }: UndoLimitOptions,
): Promise<UndoLimit | undefined> {
  if (effect === 'read') return undefined
  const named = tools.find(({ name }) => name === call.name)
  const tool = named && 'load' in named ? await named.load() : named
  const reach = await tool?.undoReach?.(call.args, { workspace })
  if (reach !== undefined) return { kind: reach }
  if (call.name.startsWith('mcp__')) return { kind: 'unknown' }
  if (touched.command !== undefined) return undefined
  const restorer = new FileRestorer({ workspace, allowed, roots: folders })
  for (const path of touched.paths ?? []) {
    const place = toPath(path, workspace.root)
    const reason = restorer.refusal((place && realPathOrPlanned(place)) ?? path)
    if (reason !== undefined) return { kind: 'refused', path, reason }
    // A file that the call creates can be removed again: that needs only its hash.
    const isSecret = place !== undefined && isSecretName(basename(place)) && existsSync(place)
    if (isSecret) return { kind: 'refused', path, reason: 'is not kept as it was' }
  }
  return undefined
}
