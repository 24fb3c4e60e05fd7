import * as vscode from 'vscode'
import type { RendererMessage } from '../notebook/renderer-message.js'
import { showChange } from './change-diff.js'
import type { Follower } from './follower.js'
import { notebookType } from './notebook-files.js'
import { openPlace } from './open-place.js'
import { shownRound } from './output.js'
import type { PermissionQuestions } from './permission-questions.js'
import { refuseWithReason } from './question-commands.js'
import type { ResultDocuments } from './result-documents.js'

/** Receives the user's actions in the rounds that are shown: answers to questions, opening diffs and results. */
export function listenToRenderer(
  questions: PermissionQuestions,
  { follower, results }: { readonly follower: Follower; readonly results: ResultDocuments },
): vscode.Disposable {
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
          return void results.show(editor.notebook.uri, message.call)
        case 'remedy': {
          if (message.remedy === 'again')
            return void runAgain(editor.notebook, shownCell(editor, message.cell))
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

/** The cell whose round has this id. */
function shownCell({ notebook }: vscode.NotebookEditor, id: string): vscode.NotebookCell | undefined {
  return notebook.getCells().find((cell) => shownRound(cell)?.cell === id)
}

async function runAgain(
  notebook: vscode.NotebookDocument,
  cell: vscode.NotebookCell | undefined,
): Promise<void> {
  if (!cell) return
  const ranges = [new vscode.NotebookRange(cell.index, cell.index + 1)]
  await vscode.commands.executeCommand('notebook.cell.execute', { ranges, document: notebook.uri })
}
