import { localFault } from '@mutsumi/host'
import * as vscode from 'vscode'
import { ModelUnavailable } from '../agent/model-unavailable.js'
import { messageText } from '../language/plain-text.js'
import { forEditor } from '../notebook/editor-words.js'

/** There is no folder to work in. */
export class NoFolder extends Error {
  constructor() {
    super(vscode.l10n.t('Open a folder first.'))
  }
}

/** Shows why something failed, with buttons for what may mend it. */
export async function showFailure(error: unknown): Promise<void> {
  const remedies = remediesOf(error)
  const given = await vscode.window.showErrorMessage(messageText(failureText(error)), ...remedies)
  if (given) await vscode.commands.executeCommand(given.command)
}

/** The reason without advice for a terminal. */
export function failureText(error: unknown): string {
  const { language } = vscode.env
  if (error instanceof ModelUnavailable) return forEditor(localFault(error.fault, language), language)
  return forEditor(error instanceof Error ? error.message : String(error), language)
}

function remediesOf(error: unknown): readonly (vscode.MessageItem & { readonly command: string })[] {
  if (error instanceof NoFolder)
    return [{ title: vscode.l10n.t('Open Folder'), command: 'workbench.action.files.openFolder' }]
  if (!(error instanceof ModelUnavailable)) return []
  return [
    { title: vscode.l10n.t('Store a Key'), command: 'mutsumi.setKey' },
    { title: vscode.l10n.t('Select Model'), command: 'mutsumi.selectModel' },
  ]
}
