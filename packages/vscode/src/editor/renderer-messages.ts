import * as vscode from 'vscode'
import type { RendererMessage } from '../notebook/renderer-message.js'
import { showChange } from './change-diff.js'
import type { Follower } from './follower.js'
import { notebookType } from './notebook-files.js'
import { openPlace } from './open-place.js'
import type { PermissionQuestions } from './permission-questions.js'
import { isLocal, notLocal } from './places.js'
import { refuseWithReason } from './question-commands.js'

/** Receives the user's actions in the rounds that are shown: answers to questions, opening diffs and results. */
export function listenToRenderer(questions: PermissionQuestions, follower: Follower): vscode.Disposable {
  const messaging = vscode.notebooks.createRendererMessaging('mutsumi-round')
  return messaging.onDidReceiveMessage(
    ({ editor, message }: { editor: vscode.NotebookEditor; message: RendererMessage }) => {
      if (editor.notebook.notebookType !== notebookType) return
      switch (message.type) {
        case 'answer':
          return questions.answer(message.question, message.answer)
        case 'refuse': {
          const asked = questions.find(message.question)
          return asked && void refuseWithReason(asked)
        }
        case 'seen':
          return questions.seen(message.question, message.seen)
        case 'diff': {
          const asked = questions.find(message.question)
          return asked && void showChange(asked)
        }
        case 'details':
          return void showDetails(editor.notebook.uri, message.call)
        case 'remedy': {
          const command = message.remedy === 'key' ? 'setKey' : 'selectModel'
          return void vscode.commands.executeCommand(`mutsumi.${command}`)
        }
        case 'open':
          return void openPlace(editor.notebook.uri, message)
        case 'grew':
          return follower.grew(editor)
        case 'scrolled':
          return follower.scrolled(editor, message.direction)
        default:
          return message satisfies never
      }
    },
  )
}

/** A result as the model read it, as a document beside the notebook. */
async function showDetails(uri: vscode.Uri, call: string): Promise<void> {
  const { resultText } = await import('../agent/result-text.js')
  const content = isLocal(uri)
    ? ((await resultText(uri.fsPath, call)) ?? vscode.l10n.t('This call has no result.'))
    : notLocal(uri).message
  const document = await vscode.workspace.openTextDocument({ content })
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true })
}
