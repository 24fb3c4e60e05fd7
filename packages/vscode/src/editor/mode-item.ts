import * as vscode from 'vscode'
import { isQuestion, notebookType } from './notebook-files.js'
import { modeName, type NotebookModes } from './notebook-modes.js'

/** Shows the mode below each prompt that waits to be asked. A click chooses another one. */
export class ModeItem implements vscode.NotebookCellStatusBarItemProvider, vscode.Disposable {
  readonly #modes: NotebookModes
  readonly #registered: vscode.Disposable
  readonly onDidChangeCellStatusBarItems: vscode.Event<void>

  constructor(modes: NotebookModes) {
    this.#modes = modes
    this.onDidChangeCellStatusBarItems = modes.onDidChange
    this.#registered = vscode.Disposable.from(
      vscode.notebooks.registerNotebookCellStatusBarItemProvider(notebookType, this),
      vscode.workspace.onDidCloseNotebookDocument(({ uri }) => modes.forget(uri)),
    )
  }

  provideCellStatusBarItems(cell: vscode.NotebookCell): vscode.NotebookCellStatusBarItem | undefined {
    if (!isQuestion(cell) || cell.outputs.length > 0) return undefined
    const mode = this.#modes.of(cell.notebook.uri)
    const { Right } = vscode.NotebookCellStatusBarAlignment
    const item = new vscode.NotebookCellStatusBarItem(`$(shield) ${modeName(mode)}`, Right)
    item.tooltip = vscode.l10n.t('What runs without a question in this notebook?')
    item.command = { command: 'mutsumi.selectMode', title: item.tooltip }
    return item
  }

  dispose(): void {
    this.#registered.dispose()
  }
}
