import * as vscode from 'vscode'
import { isQuestion, notebookType } from './notebook-files.js'
import { modeName, type NotebookModes } from './notebook-modes.js'
import { activeNotebook } from './previews.js'

/**
 * Shows the mode below each prompt that waits to be asked, and always in the status bar while a notebook is in front. A click
 * chooses another one.
 */
export class ModeItem implements vscode.NotebookCellStatusBarItemProvider, vscode.Disposable {
  readonly #modes: NotebookModes
  readonly #registered: vscode.Disposable
  readonly #item = vscode.window.createStatusBarItem('mutsumi.mode', vscode.StatusBarAlignment.Right, 99)
  readonly onDidChangeCellStatusBarItems: vscode.Event<void>

  constructor(modes: NotebookModes) {
    this.#modes = modes
    this.onDidChangeCellStatusBarItems = modes.onDidChange
    this.#item.name = vscode.l10n.t('Mutsumi: mode')
    this.#item.tooltip = vscode.l10n.t('What runs without a question in this notebook?')
    this.#item.command = 'mutsumi.selectMode'
    this.#show()
    this.#registered = vscode.Disposable.from(
      this.#item,
      modes.onDidChange(() => this.#show()),
      vscode.window.onDidChangeActiveNotebookEditor(() => this.#show()),
      vscode.window.onDidChangeVisibleNotebookEditors(() => this.#show()),
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

  #show(): void {
    const { notebook } = activeNotebook() ?? {}
    if (!notebook) return this.#item.hide()
    const mode = this.#modes.of(notebook.uri)
    this.#item.text = `$(shield) ${modeName(mode)}`
    this.#item.show()
  }

  dispose(): void {
    this.#registered.dispose()
  }
}
