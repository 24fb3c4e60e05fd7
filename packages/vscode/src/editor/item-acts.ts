import type { ItemAct } from '@mutsumi/schema'
import * as vscode from 'vscode'
import type { ContextNode } from '../notebook/context-tree.js'
import { activeNotebook, type Previews } from './previews.js'

type ActName = 'drop' | 'restore' | 'pin' | 'unpin'

/** Drops, restores, pins or unpins an item. The user sees the price first. */
export async function actOnItem(name: ActName, node: ContextNode, previews: Previews): Promise<void> {
  if (!node.item) return
  const { type, key } = node.item
  await act({ act: name, type, key }, titleOf(name, key), previews)
}

/** Takes the newest act back. */
export function undoAct(previews: Previews): Promise<void> {
  return act({ act: 'undo' }, vscode.l10n.t('Undo the last drop or pin'), previews)
}

async function act(done: ItemAct, title: string, previews: Previews): Promise<void> {
  const editor = activeNotebook()
  const [before, after] = [await previews.build(), await previews.build([done])]
  if (!editor || !before || !after) return
  const change = after.tokens.total - before.tokens.total
  const price = vscode.l10n.t(
    '{0} → {1} tokens ({2})',
    before.tokens.total,
    after.tokens.total,
    change > 0 ? `+${change}` : String(change),
  )
  const yes = { label: title, description: price, detail: cacheNote(change) }
  const chosen = await vscode.window.showQuickPick([yes, { label: vscode.l10n.t('Cancel') }], { title })
  if (chosen !== yes) return
  const { editSession } = await import('../agent/edit-session.js')
  await editSession(editor.notebook.uri.fsPath, (file) => file.add({ type: 'act', act: done }))
  previews.soon()
}

function cacheNote(change: number): string {
  return change === 0
    ? vscode.l10n.t('The next request stays as it is.')
    : vscode.l10n.t('The provider’s cache holds only up to the place that changes.')
}

function titleOf(name: ActName, key: string): string {
  switch (name) {
    case 'drop':
      return vscode.l10n.t('Leave {0} out', key)
    case 'restore':
      return vscode.l10n.t('Bring {0} back', key)
    case 'pin':
      return vscode.l10n.t('Pin {0}', key)
    case 'unpin':
      return vscode.l10n.t('Unpin {0}', key)
    default:
      return name satisfies never
  }
}
