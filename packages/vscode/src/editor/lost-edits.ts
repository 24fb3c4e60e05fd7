import * as vscode from 'vscode'
import { lostEdits, type ReadCell } from '../notebook/lost-edits.js'
import type { OpenedNotebook } from '../notebook/open-notebook.js'
import { markOf, type NotebookFiles, notebookType } from './notebook-files.js'

/**
 * Puts edits back that the editor loses. It reads a notebook anew whenever its file has grown. Until the reading is shown,
 * a person may have typed or added a cell, and the reading replaces that.
 */
export class LostEdits implements vscode.Disposable {
  readonly #files: NotebookFiles
  /** The cells of the notebooks at the time of a reading, by its token. */
  readonly #read = new Map<string, WeakMap<vscode.NotebookDocument, readonly ReadCell[]>>()
  readonly #watch: vscode.Disposable

  constructor(files: NotebookFiles) {
    this.#files = files
    this.#watch = vscode.workspace.onDidChangeNotebookDocument((event) => void this.#restore(event))
  }

  /**
   * The editor reads a file: its notebook may change until the reading is shown. Copies of a session have its id too. A
   * notebook with unsaved edits is only read if the user takes them back. Otherwise what was never saved stays.
   */
  beginReading(token: string, opened: OpenedNotebook): void {
    const notebooks = vscode.workspace.notebookDocuments.filter(
      (each) =>
        each.notebookType === notebookType && this.#files.openedOf(each)?.header.id === opened.header.id,
    )
    if (notebooks.length === 0) return
    const isSaved = savedCells(opened)
    const cells = notebooks.map((each): [vscode.NotebookDocument, readonly ReadCell[]] => [
      each,
      this.#cellsOf(each.getCells()).filter(({ id }) => isGivenUp(each) || isSaved(id)),
    ])
    this.#read.set(token, new WeakMap(cells))
  }

  dispose(): void {
    this.#watch.dispose()
  }

  async #restore({ notebook, metadata, contentChanges }: vscode.NotebookDocumentChangeEvent): Promise<void> {
    const { token = '' } = markOf(metadata) ?? {}
    const read = this.#read.get(token)?.get(notebook)
    if (!read) return
    // Readings that were given up are older.
    for (const each of [...this.#read.keys()].slice(0, [...this.#read.keys()].indexOf(token) + 1))
      this.#read.delete(each)
    const removed = this.#cellsOf(contentChanges.flatMap(({ removedCells }) => removedCells))
    const { changed, added } = lostEdits(read, removed)
    if (changed.length + added.length === 0) return
    const edit = new vscode.WorkspaceEdit()
    for (const cell of notebook.getCells()) {
      const text = changed.find(({ id }) => id === cell.metadata.id)?.text
      if (text !== undefined) edit.replace(cell.document.uri, wholeOf(cell.document), text)
    }
    const cells = added.map(({ text, language, kind }) => new vscode.NotebookCellData(kind, text, language))
    if (cells.length > 0) edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(notebook.cellCount, cells)])
    await vscode.workspace.applyEdit(edit)
  }

  #cellsOf(cells: readonly vscode.NotebookCell[]): readonly ReadCell[] {
    return cells.map((cell) => ({
      ...{ id: this.#files.knownId(cell), text: cell.document.getText() },
      ...{ language: cell.document.languageId, kind: cell.kind },
    }))
  }
}

/** Whether cells that were never saved go with a reading: unsaved edits, and the explanation of a damaged file. */
function isGivenUp({ isDirty, metadata }: vscode.NotebookDocument): boolean {
  return isDirty || (markOf(metadata)?.problems.length ?? 0) > 0
}

/** Tells cells that a file has or had. */
function savedCells({ session, records }: OpenedNotebook): (id: string | undefined) => boolean {
  const shown = new Set(session.cells.map(({ metadata }) => metadata?.id))
  let recorded: ReadonlySet<string> | undefined
  return (id) => {
    if (id === undefined || shown.has(id)) return id !== undefined
    recorded ??= new Set(records.map((record) => record.id))
    return recorded.has(id)
  }
}

function wholeOf(document: vscode.TextDocument): vscode.Range {
  return new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end)
}
