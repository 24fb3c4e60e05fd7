import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Ports } from '@mutsumi/context'
import { builtInTools, createToolRunner, hashText, Workspace } from '@mutsumi/tools'
import { Failure } from './terminal/failure.js'

/** Opens the workspace and lends the engine its ports on Node. */
export function openHost(
  folder: string | undefined,
  trusted: boolean,
): { workspace: Workspace; ports: Ports } {
  const root = resolve(folder ?? '.')
  if (!existsSync(root)) throw new Failure(`the workspace ${root} does not exist; -C takes a folder`)
  if (!statSync(root).isDirectory()) throw new Failure(`the workspace ${root} is not a folder`)
  const workspace = new Workspace({ root, trusted })
  const tools = createToolRunner({ workspace, tools: builtInTools })
  return { workspace, ports: { reader: workspace, tools, hash: hashText } }
}
