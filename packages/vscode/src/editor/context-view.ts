import * as vscode from 'vscode'
import { type ContextNode, contextTree, fileOfNode, itemState } from '../notebook/context-tree.js'
import type { Previews } from './previews.js'
import { failureText } from './show-failure.js'

/** The next request as a tree: layers, rules, files, tools and macros with their tokens. */
export class ContextView implements vscode.TreeDataProvider<ContextNode>, vscode.Disposable {
  readonly #previews: Previews
  readonly #changed = new vscode.EventEmitter<undefined>()
  readonly #watch: vscode.Disposable
  readonly onDidChangeTreeData = this.#changed.event

  constructor(previews: Previews) {
    this.#previews = previews
    this.#watch = vscode.Disposable.from(
      this.#changed,
      previews.onDidChange(() => this.#changed.fire(undefined)),
      vscode.window.registerTreeDataProvider('mutsumi.context', this),
    )
  }

  getChildren(node?: ContextNode): ContextNode[] {
    if (node) return [...(node.children ?? [])]
    const { latest, problem } = this.#previews
    const why = latest?.fault ?? problem
    return [...(why === undefined ? [] : [problemNode(why)]), ...(latest ? contextTree(latest) : [])]
  }

  getTreeItem(node: ContextNode): vscode.TreeItem {
    const item = new vscode.TreeItem(labelOf(node), stateOf(node))
    item.id = node.id
    item.description = descriptionOf(node)
    item.iconPath = new vscode.ThemeIcon(iconOf(node))
    if (node.item) {
      item.contextValue = `item ${itemState(node.item)}`
      item.tooltip = tooltipOf(node)
    }
    if (node.kind === 'problem')
      item.command = { command: 'mutsumi.showProblem', title: vscode.l10n.t('What to do') }
    if (fileOfNode(node) !== undefined)
      item.command = { command: 'mutsumi.openItem', title: vscode.l10n.t('Open'), arguments: [node] }
    return item
  }

  dispose(): void {
    this.#watch.dispose()
  }
}

/** A click shows it with buttons. */
function problemNode(why: unknown): ContextNode {
  return { id: 'problem', kind: 'problem', label: failureText(why), description: '' }
}

function labelOf({ name, label }: ContextNode): string {
  const names: Readonly<Record<string, string>> = {
    total: vscode.l10n.t('Next request'),
    left: vscode.l10n.t('Left until compaction'),
    window: vscode.l10n.t('Of the model’s window'),
    layers: vscode.l10n.t('Layers'),
    L1: vscode.l10n.t('L1 identity'),
    L2: vscode.l10n.t('L2 project rules'),
    L3: vscode.l10n.t('L3 history'),
    user: vscode.l10n.t('Your message'),
    ghost: vscode.l10n.t('Ghost block'),
    todo: vscode.l10n.t('Todo recap'),
    tools: vscode.l10n.t('Tools beside the messages'),
    project: vscode.l10n.t('Project rules'),
    rule: vscode.l10n.t('Rules'),
    file: vscode.l10n.t('Files'),
    tool: vscode.l10n.t('Tool results'),
    macros: vscode.l10n.t('Macros'),
  }
  return name === undefined ? label : (names[name] ?? label)
}

function stateOf({ children, id }: ContextNode): vscode.TreeItemCollapsibleState {
  if (!children) return vscode.TreeItemCollapsibleState.None
  return id === 'layers'
    ? vscode.TreeItemCollapsibleState.Collapsed
    : vscode.TreeItemCollapsibleState.Expanded
}

function descriptionOf({ description, item }: ContextNode): string {
  const marks = [
    ...(item?.pinned ? [vscode.l10n.t('pinned')] : []),
    ...(item?.dropped ? [vscode.l10n.t('left out')] : []),
    ...(item?.stub ? [vscode.l10n.t('over the budget')] : []),
    ...(item?.error ? [vscode.l10n.t('error')] : []),
    ...(item?.truncated ? [vscode.l10n.t('cut')] : []),
  ]
  return [description, ...marks].join(' · ')
}

function tooltipOf({ label, item }: ContextNode): string {
  const cell = item?.cell
  const where = typeof cell === 'number' ? `\n${vscode.l10n.t('first mentioned in cell {0}', cell + 1)}` : ''
  return `${label}\n${vscode.l10n.t('{0} tokens, {1} bytes', item?.tokens ?? 0, item?.bytes ?? 0)}${where}`
}

function iconOf({ kind, item }: ContextNode): string {
  if (item?.error) return 'warning'
  if (item?.dropped) return 'circle-slash'
  if (item?.pinned) return 'pinned'
  switch (kind) {
    case 'total':
      return 'dashboard'
    case 'layer':
      return 'layers'
    case 'macro':
      return 'symbol-constant'
    case 'project-rule':
      return 'law'
    case 'group':
      return 'list-tree'
    case 'problem':
      return 'warning'
    case 'item':
      return item?.type === 'tool' ? 'tools' : item?.type === 'rule' ? 'book' : 'file'
    default:
      return kind satisfies never
  }
}
