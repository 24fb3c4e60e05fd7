import { acceptedPlan } from '@mutsumi/agent'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { promptLanguage } from './notebook-files.js'

/** The steps that prompts accept, by the document of the prompt's cell. They are recorded when it runs. */
export class AcceptedPlans {
  readonly #steps = new WeakMap<vscode.TextDocument, readonly string[]>()

  of({ document }: vscode.NotebookCell): readonly string[] | undefined {
    return document.getText() === acceptedPlan ? this.#steps.get(document) : undefined
  }

  /** Asks whether to carry out a plan, and in which mode. A yes is a prompt after the cell, which runs. */
  async offer(
    cell: vscode.NotebookCell,
    steps: readonly string[],
    setMode: (mode: 'edits' | 'ask') => Promise<void>,
  ): Promise<void> {
    const edits = vscode.l10n.t('Yes, Let Changes Run')
    const ask = vscode.l10n.t('Yes, Ask for Each')
    const title = vscode.l10n.t('Carry out this plan? Its steps ({0}) become the todo list.', steps.length)
    const answer = await vscode.window.showInformationMessage(messageText(title), edits, ask)
    if (answer === undefined || cell.notebook.isClosed || cell.index === -1) return
    await setMode(answer === edits ? 'edits' : 'ask')
    await this.#run(cell, steps)
  }

  async #run({ notebook, index }: vscode.NotebookCell, steps: readonly string[]): Promise<void> {
    const next = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, acceptedPlan, promptLanguage)
    const edit = new vscode.WorkspaceEdit()
    edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(index + 1, [next])])
    if (!(await vscode.workspace.applyEdit(edit))) return
    this.#steps.set(notebook.cellAt(index + 1).document, steps)
    const ranges = [{ start: index + 1, end: index + 2 }]
    await vscode.commands.executeCommand('notebook.cell.execute', { ranges, document: notebook.uri })
  }
}
