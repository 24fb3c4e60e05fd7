import type { ItemAct } from '@mutsumi/schema'
import * as vscode from 'vscode'
import type { KeptPreviews } from '../agent/kept-previews.js'
import type { CellPreview, PreviewedCell } from '../agent/preview-cell.js'
import type { Agents } from './agents.js'
import { isQuestion, markOf, type NotebookFiles, notebookType } from './notebook-files.js'
import { isLocal } from './places.js'

const quietMs = 400
/** The pause is at least so many times as long as the last build took: a long session leaves the editor free. */
const rest = 4
/** The first preview of a notebook waits so long for each of its cells, because the editor is busy with showing them. */
const openingMsPerCell = 1.5
const longestOpeningMs = 3000
/** So many notebooks keep their engines. */
const mostKept = 3

/** Previews the next request of the active notebook. It is built after the user pauses, never while they type. */
export class Previews implements vscode.Disposable {
  readonly #agents: Agents
  readonly #files: NotebookFiles
  readonly #changed = new vscode.EventEmitter<PreviewedCell | undefined>()
  readonly #watch: vscode.Disposable
  /** By notebook, the one that was used last at the end. */
  readonly #kept = new Map<string, KeptPreviews>()
  readonly onDidChange = this.#changed.event
  /** Notebooks that had a preview. */
  readonly #built = new WeakSet<vscode.NotebookDocument>()
  #timer: NodeJS.Timeout | undefined
  #number = 0
  #lastMs = 0
  latest: PreviewedCell | undefined
  /** Why a notebook has no preview. */
  problem: unknown

  constructor({ agents, files }: { readonly agents: Agents; readonly files: NotebookFiles }) {
    this.#agents = agents
    this.#files = files
    const soon = () => this.soon()
    this.#watch = vscode.Disposable.from(
      this.#changed,
      vscode.window.onDidChangeActiveNotebookEditor(soon),
      vscode.window.onDidChangeNotebookEditorSelection(soon),
      vscode.workspace.onDidChangeNotebookDocument(soon),
      vscode.workspace.onDidSaveTextDocument(soon),
      vscode.workspace.onDidCloseNotebookDocument(({ uri }) => this.#kept.delete(uri.toString())),
      agents.onDidChange(() => {
        this.#kept.clear()
        this.soon()
      }),
    )
  }

  soon(): void {
    clearTimeout(this.#timer)
    const pause = Math.max(quietMs, rest * this.#lastMs, this.#openingMs())
    this.#timer = setTimeout(() => void this.#refresh(), pause)
  }

  /** The request of the selected cell, or of the newest one if none is selected. */
  async build(acts: readonly ItemAct[] = []): Promise<PreviewedCell | undefined> {
    const editor = activeNotebook()
    if (!editor) return undefined
    const { notebook, selection } = editor
    const cells = notebook.getCells().filter(isQuestion)
    const cell = cells.find(({ index }) => index === selection?.start) ?? cells.at(-1)
    return this.#preview(notebook, { cell, prompt: cell?.document.getText() ?? '', acts })
  }

  /** The request of one cell, with this prompt. An index after the last cell is a new cell. */
  ofCell(
    notebook: vscode.NotebookDocument,
    { index, prompt }: { readonly index: number; readonly prompt: string },
  ): Promise<PreviewedCell> {
    const cell = notebook.getCells().find((each) => each.index === index && isQuestion(each))
    return this.#preview(notebook, { cell, prompt })
  }

  async #preview(
    notebook: vscode.NotebookDocument,
    {
      cell,
      ...asked
    }: { readonly cell: vscode.NotebookCell | undefined } & Pick<CellPreview, 'prompt' | 'acts'>,
  ): Promise<PreviewedCell> {
    const { previewCell } = await import('../agent/preview-cell.js')
    const parts = await this.#agents.ofSession(notebook)
    const opened = await this.#files.currentOf(notebook)
    const id = cell && this.#files.idOf(cell)
    const preview = { notebook: opened, cell: id, ...asked }
    return previewCell(parts, preview, await this.#keptOf(notebook))
  }

  async #keptOf({ uri }: vscode.NotebookDocument): Promise<KeptPreviews> {
    const { KeptPreviews } = await import('../agent/kept-previews.js')
    const key = uri.toString()
    const kept = this.#kept.get(key) ?? new KeptPreviews()
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    for (const oldest of [...this.#kept.keys()].slice(0, -mostKept)) this.#kept.delete(oldest)
    return kept
  }

  dispose(): void {
    clearTimeout(this.#timer)
    this.#watch.dispose()
  }

  #openingMs(): number {
    const { notebook } = activeNotebook() ?? {}
    if (!notebook || this.#built.has(notebook)) return 0
    return Math.min(longestOpeningMs, notebook.cellCount * openingMsPerCell)
  }

  async #refresh(): Promise<void> {
    const { notebook } = activeNotebook() ?? {}
    if (notebook) this.#built.add(notebook)
    const number = ++this.#number
    const started = performance.now()
    let found: PreviewedCell | undefined
    let problem: unknown
    try {
      found = await this.build()
    } catch (error) {
      // For example, a setting is wrong. Files elsewhere have no preview, which the view itself says.
      if (notebook && isLocal(notebook.uri)) problem = error
    }
    this.#lastMs = performance.now() - started
    if (number !== this.#number) return
    this.latest = found
    this.problem = problem
    this.#changed.fire(found)
  }
}

/** The active notebook editor of ours, or a visible one while a text editor is active, if it can be written to. */
export function activeNotebook(): vscode.NotebookEditor | undefined {
  const { activeNotebookEditor: active, visibleNotebookEditors: visible } = vscode.window
  const editor = [...(active ? [active] : []), ...visible].find(isOurs)
  if (!editor) return undefined
  return (markOf(editor.notebook.metadata)?.problems.length ?? 0) > 0 ? undefined : editor
}

function isOurs({ notebook }: vscode.NotebookEditor): boolean {
  return notebook.notebookType === notebookType
}
