import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Ports } from '@mutsumi/context'
import type { Warning } from '@mutsumi/schema'
import {
  builtInTools,
  createToolRunner,
  findSkills,
  hashText,
  homeSkillFolders,
  type LazyTool,
  openTrustStore,
  type Tool,
  userConfigFolder,
  Workspace,
  withSkills,
} from '@mutsumi/tools'
import { Failure } from './terminal/failure.js'
import { printNote } from './terminal/output.js'

/** A folder to work in, and whether the user trusts it. */
export interface Place {
  readonly root: string
  readonly trusted: boolean
}

/** It is trusted by the flag of this run, or by what the user said before. */
export async function placeOf({
  C,
  trust = false,
}: {
  readonly C?: string | undefined
  readonly trust?: boolean | undefined
}): Promise<Place> {
  const root = workspaceFolder(C)
  return { root, trusted: trust || (await isTrusted(root)) }
}

/** A workspace with the tools that work in it, skills included. */
export interface OpenedWorkspace {
  readonly workspace: Workspace
  readonly tools: readonly (Tool | LazyTool)[]
  /** Skills that were left out, and why. */
  readonly warnings: readonly Warning[]
}

export async function openWorkspace({ root, trusted }: Place): Promise<OpenedWorkspace> {
  const { skills, warnings } = await findSkills({ workspace: new Workspace({ root }), trusted })
  const workspace = new Workspace({ root, roots: homeSkillFolders(skills), trusted })
  return { workspace, tools: withSkills(builtInTools({ trusted }), skills), warnings }
}

/** A workspace, whether the user trusts it, and the ports that it lends the engine on Node. */
export interface Host extends Pick<OpenedWorkspace, 'workspace' | 'warnings'> {
  readonly trusted: boolean
  readonly ports: Ports
}

export async function openHost(place: Place): Promise<Host> {
  const { workspace, tools, warnings } = await openWorkspace(place)
  const runner = createToolRunner({ workspace, tools })
  return {
    workspace,
    trusted: place.trusted,
    ports: { reader: workspace, tools: runner, hash: hashText },
    warnings,
  }
}

export function workspaceFolder(folder: string | undefined): string {
  const root = resolve(folder ?? '.')
  if (!existsSync(root)) throw new Failure(`the workspace ${root} does not exist; -C takes a folder`)
  if (!statSync(root).isDirectory()) throw new Failure(`the workspace ${root} is not a folder`)
  return root
}

/** Whether the user has trusted this folder before. */
async function isTrusted(root: string): Promise<boolean> {
  // Most users have trusted nothing yet; opening the store would cost them its start-up for nothing.
  if (!existsSync(join(userConfigFolder(), 'trusted.json'))) return false
  const store = await openTrustStore({ onWarning: (message) => printNote(`mutsumi: ${message}`) })
  return store.isTrusted(root)
}
