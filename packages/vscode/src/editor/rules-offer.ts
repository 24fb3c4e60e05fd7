import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { initializeProjectRules } from './commands.js'
import { rootOf } from './places.js'

/** Offers the default rules once, in a folder that has none. */
export async function offerRules(notebook: vscode.NotebookDocument, memory: vscode.Memento): Promise<void> {
  const root = rootOf(notebook.uri)
  if (notebook.uri.scheme !== 'file' || !vscode.workspace.isTrusted) return
  const offered = memory.get<readonly string[]>('rulesOfferedIn', [])
  if (offered.includes(root) || existsSync(join(root, '.mutsumi', 'rules'))) return
  await memory.update('rulesOfferedIn', [...offered, root])
  const yes = vscode.l10n.t('Make Default Rules')
  const text = vscode.l10n.t(
    'Mutsumi can add instructions to this folder that go with every request, such as how to work and how to answer. They are files in .mutsumi/rules that you can edit.',
  )
  if ((await vscode.window.showInformationMessage(messageText(text), yes)) === yes)
    await initializeProjectRules(root)
}
