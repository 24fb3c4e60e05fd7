import * as vscode from 'vscode'

const drawnMs = 1_000

/**
 * Keeps the end of a running round in view while it grows, and a question in any case. A person who scrolls up is left
 * alone until they come back to the end.
 */
export class Follower implements vscode.Disposable {
  /** The cells that run, by their notebooks. */
  readonly #running = new Map<vscode.NotebookDocument, vscode.NotebookCell>()
  readonly #left = new WeakSet<vscode.NotebookDocument>()
  readonly #watch: vscode.Disposable

  constructor() {
    this.#watch = vscode.window.onDidChangeNotebookEditorVisibleRanges(
      ({ notebookEditor: { notebook }, visibleRanges }) => {
        const cell = this.#running.get(notebook)
        if (cell && isAbove(visibleRanges, cell.index)) this.#left.add(notebook)
      },
    )
  }

  /** Follows a cell's round until the returned object is disposed. */
  during(cell: vscode.NotebookCell): vscode.Disposable {
    const { notebook } = cell
    this.#running.set(notebook, cell)
    this.#left.delete(notebook)
    return {
      dispose: () =>
        // The end of the round is drawn a moment later.
        setTimeout(() => {
          if (this.#running.get(notebook) === cell) this.#running.delete(notebook)
        }, drawnMs),
    }
  }

  /** Shows the end of a notebook's running round, wherever the person is in it. */
  call(session: string | undefined): void {
    for (const editor of vscode.window.visibleNotebookEditors) {
      if (editor.notebook.uri.toString() !== session) continue
      this.#left.delete(editor.notebook)
      this.grew(editor)
    }
  }

  /** The shown round has become taller. */
  grew(editor: vscode.NotebookEditor): void {
    const { notebook } = editor
    const cell = this.#running.get(notebook)
    if (!cell || cell.index < 0 || this.#left.has(notebook)) return
    // A cell's end cannot be shown, so the beginning of the next one is.
    const shown = Math.min(cell.index + 1, notebook.cellCount - 1)
    editor.revealRange(new vscode.NotebookRange(shown, shown + 1), vscode.NotebookEditorRevealType.Default)
  }

  /** A person turned the wheel over the rounds. */
  scrolled({ notebook, visibleRanges }: vscode.NotebookEditor, direction: 'up' | 'down'): void {
    const cell = this.#running.get(notebook)
    if (!cell) return
    if (direction === 'up') this.#left.add(notebook)
    else if (visibleRanges.some(({ end }) => end > cell.index + 1)) this.#left.delete(notebook)
  }

  dispose(): void {
    this.#watch.dispose()
  }
}

/**
 * Whether a person scrolled up, by a key or the scrollbar: only earlier cells are in view. A notebook that is hidden or laid
 * out again has no cells in view for a moment, and following may show only the next cell.
 */
function isAbove(visible: readonly vscode.NotebookRange[], cell: number): boolean {
  return visible.some(({ isEmpty }) => !isEmpty) && visible.every(({ end }) => end <= cell)
}
