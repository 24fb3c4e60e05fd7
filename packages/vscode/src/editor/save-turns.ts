import { sealSaved } from '@mutsumi/session/node'
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
      // A new notebook is not of a command that runs meanwhile, and neither are its lines.
      if (uri.scheme === 'file') {
        sealSaved(uri.fsPath)
        noteOwnPlace(realPathOf(uri.fsPath) ?? uri.fsPath)
      }
      fileTurns.saved(uri.fsPath)
    }),
  )
}
