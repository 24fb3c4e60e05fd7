import { listSessions, type SessionList, sessionsFolder } from '@mutsumi/session/node'
import * as vscode from 'vscode'
import { rootOf } from './agents.js'
import { notebookType } from './notebook-files.js'

/** A session of a workspace folder, and whether a round of it runs. */
export interface SessionNode {
  readonly path: string
  readonly title: string
  readonly description: string
  readonly id: string
  readonly children: readonly SessionNode[]
}

/** The sessions of the workspace, each with those of its sub-agents. */
export class SessionsView implements vscode.TreeDataProvider<SessionNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>()
  readonly #running = new Set<string>()
  readonly #watch: vscode.Disposable
  readonly onDidChangeTreeData = this.#changed.event

  constructor() {
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.mtm')
    const refresh = () => this.refresh()
    this.#watch = vscode.Disposable.from(
      ...[this.#changed, watcher, watcher.onDidCreate(refresh), watcher.onDidDelete(refresh)],
      vscode.window.registerTreeDataProvider('mutsumi.sessions', this),
    )
  }

  refresh(): void {
    this.#changed.fire(undefined)
  }

  /** Called when a round of this file begins or ends. */
  mark(path: string, isRunning: boolean): void {
    if (isRunning) this.#running.add(path)
    else this.#running.delete(path)
    this.refresh()
  }

  async getChildren(node?: SessionNode): Promise<SessionNode[]> {
    if (node) return [...node.children]
    const folders = vscode.workspace.workspaceFolders ?? []
    const roots = folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath)
    const lists = await Promise.all(roots.map((root) => listSessions(sessionsFolder(root))))
    return lists.flatMap((list) => (list.kind === 'listed' ? treeOf(list) : []))
  }

  getTreeItem({ path, title, description, children }: SessionNode): vscode.TreeItem {
    const hasChildren = children.length > 0
    const item = new vscode.TreeItem(
      title,
      hasChildren ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
    )
    item.id = path
    item.description = description
    item.contextValue = 'session'
    item.resourceUri = vscode.Uri.file(path)
    item.iconPath = new vscode.ThemeIcon(this.#running.has(path) ? 'loading~spin' : 'comment-discussion')
    item.command = {
      command: 'vscode.openWith',
      title: vscode.l10n.t('Open'),
      arguments: [vscode.Uri.file(path), notebookType],
    }
    return item
  }

  dispose(): void {
    this.#watch.dispose()
  }
}

/** Puts sub-agents below the session that started them. */
function treeOf({ sessions }: SessionList): readonly SessionNode[] {
  const all = sessions.map(({ path, lastAt, summary, fault }) => ({
    path,
    id: summary?.id ?? path,
    parent: summary?.parent,
    title: summary?.title ?? path.replace(/^.*[\\/]/, ''),
    description: fault ? vscode.l10n.t('damaged') : describe(summary?.rounds, lastAt),
  }))
  const known = new Set(all.map(({ id }) => id))
  const nodeOf = ({ parent: _, ...session }: (typeof all)[number]): SessionNode => ({
    ...session,
    children: all.filter(({ parent }) => parent === session.id).map(nodeOf),
  })
  return all.filter(({ parent }) => parent === undefined || !known.has(parent)).map(nodeOf)
}

function describe(rounds: number | undefined, lastAt: string): string {
  const when = lastAt === '' ? '' : new Date(lastAt).toLocaleString()
  return rounds === undefined ? when : `${vscode.l10n.t('{0} rounds', rounds)} · ${when}`
}

/** The folder for new conversations. */
export function newSessionFolder(): string | undefined {
  const [first] = vscode.workspace.workspaceFolders ?? []
  return first?.uri.scheme === 'file' ? sessionsFolder(rootOf(first.uri)) : undefined
}
