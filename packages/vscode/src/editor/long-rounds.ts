import { basename } from 'node:path'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import type { RoundOutput } from '../notebook/round-output.js'

const longMs = 10_000

/** Whether the person of a notebook wants messages while they look elsewhere: the setting `notify`. */
export type MessageWish = (session: string | undefined) => Promise<boolean>

/** Says that a long round is over to a person who looks elsewhere, and offers to show its end. */
export async function tellEnd(
  { uri }: vscode.NotebookDocument,
  { state, startedAt = '', endedAt = '' }: RoundOutput,
  { isWanted, show }: { readonly isWanted: MessageWish; readonly show: () => Promise<void> },
): Promise<void> {
  const isLong = Date.parse(endedAt) - Date.parse(startedAt) > longMs
  const session = uri.toString()
  if (!isLong || state === 'cancelled' || looksAt(session) || !(await isWanted(session))) return
  const name = basename(uri.path)
  const text =
    state === 'done'
      ? vscode.l10n.t('{0}: the answer is there.', name)
      : vscode.l10n.t('{0}: the round ended without an answer.', name)
  const button = vscode.l10n.t('Show')
  if ((await vscode.window.showInformationMessage(messageText(text), button)) === button) await show()
}

/** Whether a person looks at this notebook. */
export function looksAt(session: string | undefined): boolean {
  const active = vscode.window.activeNotebookEditor?.notebook.uri.toString()
  return vscode.window.state.focused && session !== undefined && active === session
}
