import { noteOwnPlace, realPathOf } from '@mutsumi/tools/parts'
import * as vscode from 'vscode'
import { fileTurns } from '../agent/file-turns.js'
import { notebookType } from './notebook-files.js'

/** Rounds wait while the editor saves a notebook, and the editor waits for the records that they are writing. */
export function registerSaveTurns(): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onWillSaveNotebookDocument((event) => {
      const { notebookType: type, uri } = event.notebook
      if (type === notebookType) event.waitUntil(fileTurns.saving(uri.fsPath))
    }),
    vscode.workspace.onDidSaveNotebookDocument(({ notebookType: type, uri }) => {
      if (type !== notebookType) return
      fileTurns.saved(uri.fsPath)
      // A new notebook is not of a command that runs meanwhile.
      if (uri.scheme === 'file') noteOwnPlace(realPathOf(uri.fsPath) ?? uri.fsPath)
    }),
  )
}
