import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as vscode from 'vscode'
import {
  mergedSessions,
  openNode,
  type SessionActivity,
  type SessionNode,
  sessionTree,
} from '../notebook/session-tree.js'
import { notebookType } from './notebook-files.js'
import { openNotebooks, SessionFiles } from './session-files.js'

const quietMs = 200

/** The sessions of the workspace and all open notebooks, each with those of its sub-agents and with what it does now. */
export class SessionsView implements vscode.TreeDataProvider<SessionNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>()
  readonly #states = new Map<string, 'running' | 'waiting'>()
  readonly #files = new SessionFiles()
  readonly #watch: vscode.Disposable
  readonly onDidChangeTreeData = this.#changed.event
  #timer: NodeJS.Timeout | undefined

  constructor() {
    const files = vscode.workspace.createFileSystemWatcher('**/*.mtm')
    const locks = vscode.workspace.createFileSystemWatcher('**/*.mtm.lock', false, true)
    const refresh = () => this.refresh()
    const look = () => this.lookAgain()
    this.#watch = vscode.Disposable.from(
      ...[this.#changed, files, files.onDidCreate(look), files.onDidDelete(look)],
      ...[locks, locks.onDidCreate(refresh), locks.onDidDelete(refresh)],
      vscode.workspace.onDidChangeWorkspaceFolders(look),
      vscode.workspace.onDidOpenNotebookDocument(refresh),
      vscode.workspace.onDidCloseNotebookDocument(refresh),
      vscode.window.registerTreeDataProvider('mutsumi.sessions', this),
    )
  }

  refresh(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#changed.fire(undefined), quietMs)
  }

  /** The same after files were made or moved. */
  lookAgain(): void {
    this.#files.forget()
    this.refresh()
  }

  /** A round of this file runs, waits for an answer, or is over. */
  mark(path: string, state: 'running' | 'waiting' | undefined): void {
    if (this.#states.get(path) === state) return
    if (state) this.#states.set(path, state)
    else this.#states.delete(path)
    this.refresh()
  }

  /** Sessions outside the folders for them: found in the workspace, or open. */
  async otherFiles(): Promise<readonly string[]> {
    const open = openNotebooks().filter(isFile)
    return [...(await this.#files.paths()), ...open.map(({ uri }) => uri.fsPath)]
  }

  async getChildren(node?: SessionNode): Promise<SessionNode[]> {
    if (node) return [...node.children]
    const { listSessions, listSessionFiles, lockPath, sessionsFolder } = await import(
      '../agent/session-folder.js'
    )
    const stateOf = (path: string) =>
      this.#states.get(path) ?? (existsSync(lockPath(path)) ? 'in-use' : 'idle')
    const open = openNotebooks()
    const elsewhere = await this.otherFiles()
    const folders = await Promise.all(localRoots().map((root) => listSessions(sessionsFolder(root))))
    const lists = folders.map((list) => (list.kind === 'listed' ? list.sessions : []))
    const known = new Set(lists.flat().map(({ path }) => path))
    const { sessions } = await listSessionFiles(elsewhere.filter((path) => !known.has(path)))
    const others = open.filter((notebook) => !isFile(notebook))
    return [
      ...others.map(({ uri }) =>
        openNode({ path: uri.fsPath, uri: uri.toString() }, this.#states.get(uri.fsPath) ?? 'idle'),
      ),
      ...sessionTree(mergedSessions([...lists, sessions]), stateOf),
    ]
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    const hasChildren = node.children.length > 0
    const item = new vscode.TreeItem(
      node.title,
      hasChildren ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
    )
    const uri = node.uri === undefined ? vscode.Uri.file(node.path) : vscode.Uri.parse(node.uri)
    item.id = node.uri ?? node.path
    item.description = describe(node)
    // Only a file can be forked, renamed and deleted.
    item.contextValue = `${node.uri === undefined ? 'session' : 'open'} ${node.state}`
    item.resourceUri = uri
    item.tooltip = node.path
    item.iconPath = new vscode.ThemeIcon(icons[node.state])
    item.command = {
      command: 'vscode.openWith',
      title: vscode.l10n.t('Open'),
      arguments: [uri, notebookType],
    }
    return item
  }

  dispose(): void {
    clearTimeout(this.#timer)
    this.#watch.dispose()
  }
}

function isFile({ uri }: vscode.NotebookDocument): boolean {
  return uri.scheme === 'file'
}

const icons: Readonly<Record<SessionActivity, string>> = {
  idle: 'comment-discussion',
  running: 'loading~spin',
  waiting: 'question',
  'in-use': 'lock',
  damaged: 'warning',
}

function describe({ path, rounds, lastAt, state }: SessionNode): string {
  const when = lastAt === '' ? '' : new Date(lastAt).toLocaleString()
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path))
  const isOneOfMany = (vscode.workspace.workspaceFolders?.length ?? 0) > 1
  return [
    ...(state === 'idle' ? [] : [stateText(state)]),
    ...(isOneOfMany && folder ? [folder.name] : []),
    ...placeOf(path, folder),
    ...(rounds === undefined ? [] : [vscode.l10n.t('rounds: {0}', rounds)]),
    ...(when === '' ? [] : [when]),
  ].join(' · ')
}

/** The folder of a session that is not among the others. */
function placeOf(path: string, folder: vscode.WorkspaceFolder | undefined): readonly string[] {
  const place = dirname(path)
  if (!folder) return [place]
  if (folder.uri.scheme !== 'file' || place === join(folder.uri.fsPath, '.mutsumi', 'sessions')) return []
  return [place === folder.uri.fsPath ? './' : `${vscode.workspace.asRelativePath(place, false)}/`]
}

function stateText(state: Exclude<SessionActivity, 'idle'>): string {
  switch (state) {
    case 'running':
      return vscode.l10n.t('running')
    case 'waiting':
      return vscode.l10n.t('waits for your answer')
    case 'in-use':
      return vscode.l10n.t('in use by another program or a sub-agent')
    case 'damaged':
      return vscode.l10n.t('damaged')
    default:
      return state satisfies never
  }
}

/** The folders of the workspace that are on this machine. */
export function localRoots(): readonly string[] {
  const folders = vscode.workspace.workspaceFolders ?? []
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath)
}
