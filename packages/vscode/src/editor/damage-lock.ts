import * as vscode from 'vscode'
import { markOf, notebookType } from './notebook-files.js'

/** Makes the notebook of a damaged session read-only, and writable again after its repair. */
export class DamageLock implements vscode.Disposable {
  readonly #locked = new Set<string>()
  readonly #watch: vscode.Disposable

  constructor() {
    this.#watch = vscode.Disposable.from(
      vscode.window.onDidChangeActiveNotebookEditor(() => void this.#update()),
      vscode.workspace.onDidChangeNotebookDocument(({ metadata }) => metadata && void this.#update()),
    )
  }

  dispose(): void {
    this.#watch.dispose()
  }

  /** The editor locks and unlocks only what is active. */
  async #update(): Promise<void> {
    const { notebook } = vscode.window.activeNotebookEditor ?? {}
    if (notebook?.notebookType !== notebookType) return
    const key = notebook.uri.toString()
    const isDamaged = (markOf(notebook.metadata)?.problems.length ?? 0) > 0
    if (isDamaged === this.#locked.has(key)) return
    if (isDamaged) this.#locked.add(key)
    else this.#locked.delete(key)
    const what = isDamaged ? 'setActiveEditorReadonlyInSession' : 'resetActiveEditorReadonlyInSession'
    await vscode.commands.executeCommand(`workbench.action.files.${what}`)
  }
}
