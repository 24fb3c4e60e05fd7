import * as vscode from 'vscode'
import { showChange } from './change-diff.js'
import type { Follower } from './follower.js'
import { notebookType } from './notebook-files.js'
import type { OpenPermissionQuestion, PermissionQuestions } from './permission-questions.js'

export interface QuestionPlace {
  readonly questions: PermissionQuestions
  readonly follower: Follower
}

/** Brings a question into view: in the round that asks; if no notebook asks, its diff or its text. */
export async function showQuestion(
  open: OpenPermissionQuestion,
  { questions, follower }: QuestionPlace,
): Promise<void> {
  if (!questions.find(open.shown.id)) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This question is answered already.'))
    return
  }
  const notebook = notebookOf(open.session)
  if (notebook) {
    await vscode.window.showNotebookDocument(notebook)
    return follower.call(open.session)
  }
  if (open.shown.preview !== undefined) return showChange(open)
  const { name, target, reason } = open.shown
  const document = await vscode.workspace.openTextDocument({ content: `${name}\n\n${target}\n\n${reason}\n` })
  await vscode.window.showTextDocument(document, { preview: true })
}

function notebookOf(session: string | undefined): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find(
    ({ uri, notebookType: type }) => type === notebookType && uri.toString() === session,
  )
}
