import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Ports } from '@mutsumi/context'
import { checkConfigFolder, type OpenedWorkspace, openWorkspace, type Place, userRules } from '@mutsumi/host'
import { type AssembleDocument, createToolRunner, hashText } from '@mutsumi/tools'
import { userConfigFolder } from '@mutsumi/tools/parts'
import { Failure, UsageError } from '../terminal/failure.js'
import { say } from '../words/say.js'
import { type FoundRoot, findRoot } from './workspace-root.js'

/** A place, and how it was found. */
export interface ChosenPlace extends Place, FoundRoot {}

/** It is trusted by a flag of this run or by an earlier decision of the user. */
export async function placeOf({
  C,
  trust = false,
  addDir = [],
}: {
  readonly C?: string | undefined
  readonly trust?: boolean | undefined
  readonly addDir?: readonly string[] | undefined
}): Promise<ChosenPlace> {
  const found = chosenRoot(C)
  const { root } = found
  checkConfigFolder(root)
  const place = { ...found, ...(addDir.length === 0 ? {} : { folders: addDir.map(addedFolder) }) }
  if (trust) return { ...place, trusted: true }
  // Most users have trusted nothing yet, so the check would only slow down their start.
  if (!existsSync(join(userConfigFolder(), 'trusted.json'))) return { ...place, trusted: false }
  return { ...place, ...(await (await import('./trust.js')).checkTrust(root)) }
}

/** The real path of a folder of `--add-dir`. */
function addedFolder(folder: string): string {
  const path = resolve(folder)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(
      say`--add-dir ${folder}: ${existsSync(path) ? say`it is not a folder` : say`there is no such folder`}`,
    )
  return realpathSync(path)
}

/** A workspace, whether the user trusts it, and the ports that it gives the engine on Node. */
export interface Host extends Pick<OpenedWorkspace, 'workspace' | 'warnings'> {
  readonly trusted: boolean
  readonly ports: Ports
}

export async function openHost(place: Place): Promise<Host> {
  const { trusted } = place
  const { workspace, tools, warnings } = await openWorkspace(place)
  // Loaded when a document is assembled, because most runs need none.
  const assemble: AssembleDocument = async (document) => {
    const { documentAssembler } = await import('@mutsumi/agent/parts')
    return documentAssembler({ ports: () => ports, trusted })(document)
  }
  const runner = createToolRunner({ workspace, tools, assemble })
  const ports: Ports = { reader: workspace, tools: runner, hash: hashText, ...userRules() }
  return { workspace, trusted, ports, warnings }
}

/** The folder that `-C` names; else the nearest one upwards that is a workspace. */
export function workspaceFolder(folder: string | undefined): string {
  return chosenRoot(folder).root
}

function chosenRoot(folder: string | undefined): FoundRoot {
  if (folder === undefined) return findRoot(resolve('.'))
  const root = resolve(folder)
  if (!existsSync(root)) throw new Failure(say`the workspace ${root} does not exist; -C takes a folder`)
  if (!statSync(root).isDirectory()) throw new Failure(say`the workspace ${root} is not a folder`)
  return { root, strangers: [] }
}

/** Explains why a folder that looks like a workspace is not used. */
export function strangerNote(marker: string): string {
  return say`${marker} belongs to another user, so its folder is not used as the workspace; -C ${dirname(marker)} uses it anyway`
}
