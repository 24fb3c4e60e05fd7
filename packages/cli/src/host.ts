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
  openTrustStore,
  userConfigFolder,
  Workspace,
  withSkills,
} from '@mutsumi/tools'
import { Failure } from './terminal/failure.js'
import { printNote } from './terminal/output.js'

/** A workspace, whether the user trusts it, and the ports that it lends the engine on Node. */
export interface Host {
  readonly workspace: Workspace
  readonly trusted: boolean
  readonly ports: Ports
  /** Skills that were left out, and why. */
  readonly warnings: readonly Warning[]
}

/** Opens the workspace. It is trusted by the flag of this run, or by what the user said before. */
export async function openHost(
  folder: string | undefined,
  { trust = false }: { readonly trust?: boolean | undefined } = {},
): Promise<Host> {
  const root = workspaceFolder(folder)
  const trusted = trust || (await isTrusted(root))
  const { skills, warnings } = await findSkills({ workspace: new Workspace({ root }), trusted })
  const workspace = new Workspace({ root, roots: homeSkillFolders(skills), trusted })
  const tools = createToolRunner({ workspace, tools: withSkills(builtInTools({ trusted }), skills) })
  return { workspace, trusted, ports: { reader: workspace, tools, hash: hashText }, warnings }
}

export function workspaceFolder(folder: string | undefined): string {
  const root = resolve(folder ?? '.')
  if (!existsSync(root)) throw new Failure(`the workspace ${root} does not exist; -C takes a folder`)
  if (!statSync(root).isDirectory()) throw new Failure(`the workspace ${root} is not a folder`)
  return root
}

/** Whether the user has trusted this folder before. */
export async function isTrusted(root: string): Promise<boolean> {
  // Most users have trusted nothing yet; opening the store would cost them its start-up for nothing.
  if (!existsSync(join(userConfigFolder(), 'trusted.json'))) return false
  const store = await openTrustStore({ onWarning: (message) => printNote(`mutsumi: ${message}`) })
  return store.isTrusted(root)
}
