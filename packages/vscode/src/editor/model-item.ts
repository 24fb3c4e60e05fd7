import * as vscode from 'vscode'
import { isQuestion, notebookType } from './notebook-files.js'
import type { NotebookModels } from './notebook-models.js'
import { activeNotebook, type Previews } from './previews.js'

/** Names the model below each prompt that waits to be asked. A click chooses another one. */
export class ModelItem implements vscode.NotebookCellStatusBarItemProvider, vscode.Disposable {
  readonly #models: NotebookModels
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChangeCellStatusBarItems = this.#changed.event
  readonly #watch: vscode.Disposable
  /** The model that answers in a notebook, as its newest preview says. */
  readonly #known = new WeakMap<vscode.NotebookDocument, string>()

  constructor(models: NotebookModels, previews: Previews) {
    this.#models = models
    this.#watch = vscode.Disposable.from(
      this.#changed,
      vscode.notebooks.registerNotebookCellStatusBarItemProvider(notebookType, this),
      models.onDidChange(() => this.#changed.fire()),
      previews.onDidChange((preview) => {
        const { notebook } = activeNotebook() ?? {}
        if (!notebook || !preview || this.#known.get(notebook) === preview.model) return
        this.#known.set(notebook, preview.model)
        this.#changed.fire()
      }),
    )
  }

  provideCellStatusBarItems(cell: vscode.NotebookCell): vscode.NotebookCellStatusBarItem | undefined {
    if (!isQuestion(cell) || cell.outputs.length > 0) return undefined
    const { notebook } = cell
    const model = this.#models.of(notebook)?.model ?? this.#known.get(notebook)
    const { Right } = vscode.NotebookCellStatusBarAlignment
    const label = model === undefined ? vscode.l10n.t('Select Model') : shortModel(model)
    const item = new vscode.NotebookCellStatusBarItem(`$(sparkle) ${label}`, Right)
    item.tooltip = vscode.l10n.t('The model that answers in this notebook: {0}', model ?? '–')
    item.command = { command: 'mutsumi.selectModel', title: item.tooltip }
    return item
  }

  dispose(): void {
    this.#watch.dispose()
  }
}

/** The last part of a model's name. */
export function shortModel(model: string): string {
  const [, name = model] = /([^/\\]+)$/.exec(model) ?? []
  return name
}
