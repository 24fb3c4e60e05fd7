import * as vscode from 'vscode'
import { contentOf } from '../notebook/typed-text.js'
import { type NotebookFiles, notebookType } from './notebook-files.js'

/** Below a cell that called a user command: a button that opens the whole text which was sent for it. */
export class CommandTexts implements vscode.NotebookCellStatusBarItemProvider, vscode.Disposable {
  readonly #files: NotebookFiles
  readonly #registered: vscode.Disposable

  constructor(files: NotebookFiles) {
    this.#files = files
    this.#registered = vscode.Disposable.from(
      vscode.notebooks.registerNotebookCellStatusBarItemProvider(notebookType, this),
      vscode.commands.registerCommand('mutsumi.showCommandText', (cell: vscode.NotebookCell) =>
        this.#show(cell),
      ),
    )
  }

  provideCellStatusBarItems(cell: vscode.NotebookCell): vscode.NotebookCellStatusBarItem | undefined {
    const text = this.#textOf(cell)
    if (text === undefined) return undefined
    const label = vscode.l10n.t('text of the command: {0} characters', text.length)
    const item = new vscode.NotebookCellStatusBarItem(
      `$(eye) ${label}`,
      vscode.NotebookCellStatusBarAlignment.Left,
    )
    item.tooltip = vscode.l10n.t('Show the whole text that this cell sends')
    item.command = { command: 'mutsumi.showCommandText', title: item.tooltip, arguments: [cell] }
    return item
  }

  dispose(): void {
    this.#registered.dispose()
  }

  /** Undefined if the cell sends what it shows. */
  #textOf(cell: vscode.NotebookCell): string | undefined {
    const shown = cell.document.getText()
    if (!shown.trimStart().startsWith('/')) return undefined
    const recorded = this.#files.recordedOf(cell)
    const content = contentOf(shown, recorded)
    return content === shown ? undefined : content
  }

  async #show(cell: vscode.NotebookCell): Promise<void> {
    const content = this.#textOf(cell)
    if (content === undefined) return
    const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' })
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true })
  }
}
