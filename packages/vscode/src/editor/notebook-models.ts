import * as vscode from 'vscode'
import { type NotebookFiles, notebookType } from './notebook-files.js'

/** A model that the user chose for one notebook. */
export interface NotebookModel {
  /** `provider/name`, or one of VS Code's own. */
  readonly model: string
  /** The address of its server, if the name alone does not lead to it. */
  readonly baseUrl?: string
}

/** So many choices are remembered. */
const mostChoices = 500
const stored = 'mutsumi.notebookModels'

/**
 * The models that notebooks chose for themselves. The session records the name. It takes effect only if the user chose it in
 * this editor: a session file may come from anybody, and would otherwise decide who gets the prompts. Addresses are kept
 * only here.
 */
export class NotebookModels {
  readonly #state: vscode.Memento
  readonly #files: NotebookFiles
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChange = this.#changed.event

  constructor(state: vscode.Memento, files: NotebookFiles) {
    this.#state = state
    this.#files = files
  }

  /** The notebook's own model; undefined if the one of the settings answers. */
  of(notebook: vscode.NotebookDocument): NotebookModel | undefined {
    const { model } = notebook.metadata
    const chosen = this.#choices()[this.#idOf(notebook)]
    return chosen && chosen.model === model ? chosen : undefined
  }

  ofUri(uri: vscode.Uri): NotebookModel | undefined {
    const open = vscode.workspace.notebookDocuments.find((each) => each.uri.toString() === uri.toString())
    return open?.notebookType === notebookType ? this.of(open) : undefined
  }

  /** The name that the session records, if it was chosen elsewhere. */
  named(notebook: vscode.NotebookDocument): string | undefined {
    const { model } = notebook.metadata
    return typeof model === 'string' && !this.of(notebook) ? model : undefined
  }

  /** Records the choice in the session; `undefined` takes it back. */
  async choose(notebook: vscode.NotebookDocument, chosen: NotebookModel | undefined): Promise<void> {
    const wasDirty = notebook.isDirty
    const { [this.#idOf(notebook)]: _, ...others } = this.#choices()
    const all = Object.entries({ ...others, ...(chosen && { [this.#idOf(notebook)]: chosen }) })
    await this.#state.update(stored, Object.fromEntries(all.slice(-mostChoices)))
    const edit = new vscode.WorkspaceEdit()
    const changed = { ...notebook.metadata, model: chosen?.model ?? null }
    edit.set(notebook.uri, [vscode.NotebookEdit.updateNotebookMetadata(changed)])
    await vscode.workspace.applyEdit(edit)
    if (!wasDirty && !notebook.isUntitled) await notebook.save()
    this.#changed.fire()
  }

  #choices(): Readonly<Record<string, NotebookModel>> {
    return this.#state.get(stored, {})
  }

  /** The session's own id, which stays if its file is moved. */
  #idOf(notebook: vscode.NotebookDocument): string {
    return this.#files.openedOf(notebook)?.header.id ?? ''
  }
}
