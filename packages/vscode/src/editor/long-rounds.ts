import { basename } from 'node:path'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import type { RoundOutput } from '../notebook/round-output.js'

const longMs = 10_000

/** Says that a long round is over to a person who looks elsewhere, and offers to show its end. */
export async function tellEnd(
  { uri }: vscode.NotebookDocument,
  { state, startedAt = '', endedAt = '' }: RoundOutput,
  show: () => Promise<void>,
): Promise<void> {
  const isLong = Date.parse(endedAt) - Date.parse(startedAt) > longMs
  if (!isLong || state === 'cancelled' || looksAt(uri.toString())) return
  const name = basename(uri.path)
  const text =
    state === 'done'
      ? vscode.l10n.t('{0}: the answer is there.', name)
      : vscode.l10n.t('{0}: the round ended without an answer.', name)
  const button = vscode.l10n.t('Show')
  if ((await vscode.window.showInformationMessage(messageText(text), button)) === button) await show()
}

/** Whether a person looks at this notebook, or wants no messages. */
export function looksAt(session: string | undefined): boolean {
  if (!vscode.workspace.getConfiguration('mutsumi').get('notify', true)) return true
  const active = vscode.window.activeNotebookEditor?.notebook.uri.toString()
  return vscode.window.state.focused && session !== undefined && active === session
}
