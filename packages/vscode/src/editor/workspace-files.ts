import type { MentionedFiles } from '@mutsumi/context'
import { BestPaths, indexedPath } from '@mutsumi/host'
import * as vscode from 'vscode'
import type { DescribedReference } from '../agent/describe-reference.js'
import { withSlashes } from '../language/workspace-path.js'
import type { Agents } from './agents.js'
import { isLocal, rootOf, rootUriOf } from './places.js'

const shownPaths = 50
const freshMs = 10_000
const mostPaths = 100_000
/** A virtual file system answers more slowly. */
const mostRemotePaths = 5_000

/** The files that a prompt can refer to, on any file system that the editor knows. */
export class WorkspaceFiles {
  readonly #agents: Agents
  readonly #paths = new Map<string, { readonly at: number; readonly paths: readonly string[] }>()

  constructor(agents: Agents) {
    this.#agents = agents
  }

  /** The paths that match a query best. */
  async find(query: string, uri: vscode.Uri): Promise<readonly string[]> {
    const best = new BestPaths(withSlashes(query), shownPaths)
    for (const path of await this.#index(uri)) best.add(indexedPath(path))
    return best.paths
  }

  async #index(uri: vscode.Uri): Promise<readonly string[]> {
    const key = isLocal(uri) ? rootOf(uri) : rootUriOf(uri).toString()
    const known = this.#paths.get(key)
    if (known && Date.now() - known.at < freshMs) return known.paths
    const paths = isLocal(uri) ? await this.#localPaths(uri) : await remotePaths(uri)
    this.#paths.set(key, { at: Date.now(), paths })
    return paths
  }

  async #localPaths(uri: vscode.Uri): Promise<readonly string[]> {
    const { workspacePaths } = await import('../agent/workspace-paths.js')
    return workspacePaths(await this.#agents.of(uri), mostPaths)
  }
}

async function remotePaths(uri: vscode.Uri): Promise<readonly string[]> {
  const root = rootUriOf(uri)
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(root, '**/*'),
    undefined,
    mostRemotePaths,
  )
  return found.map(({ path }) => path.slice(root.path.length).replace(/^\//, ''))
}

/** Files that only the editor can look up. */
export function remoteFiles(root: vscode.Uri): MentionedFiles {
  return {
    async kindOf(path) {
      try {
        const { type } = await vscode.workspace.fs.stat(vscode.Uri.joinPath(root, path))
        return type & vscode.FileType.Directory ? 'folder' : 'file'
      } catch {
        return undefined
      }
    },
  }
}

/** The target of a reference on a file system that only the editor can read. */
export async function describeRemote(uri: vscode.Uri): Promise<DescribedReference> {
  try {
    const { type } = await vscode.workspace.fs.stat(uri)
    if (type & vscode.FileType.Directory)
      return { kind: 'folder', entries: (await vscode.workspace.fs.readDirectory(uri)).length }
    const { describeText } = await import('../agent/describe-reference.js')
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri))
    return describeText(text, uri.path)
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) }
  }
}
