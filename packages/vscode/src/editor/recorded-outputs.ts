import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { isOutdated, recordedRounds, withUnsent } from '../notebook/shown-rounds.js'
import type { RoundController } from './controller.js'
import type { LiveRounds } from './live-rounds.js'
import { isQuestion, markOf, type NotebookFiles, newId, notebookType } from './notebook-files.js'
import { shownRound } from './output.js'
import { pricesNow } from './prices.js'

/** Several changes, such as the undo of a deletion of many cells, are looked at together. */
const waitMs = 50

export interface OutputParts {
  readonly files: NotebookFiles
  readonly live: Pick<LiveRounds, 'ended' | 'unsent'>
  readonly controller: Pick<RoundController, 'isBusy' | 'draw'>
}

/** The outputs of a notebook are its record, and so is what is sent: after every change the two are compared. */
export class RecordedOutputs implements vscode.Disposable {
  readonly #parts: OutputParts
  readonly #watch: vscode.Disposable
  readonly #changed = new Map<vscode.NotebookDocument, Set<vscode.NotebookCell>>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: OutputParts) {
    this.#parts = parts
    this.#watch = vscode.workspace.onDidChangeNotebookDocument((event) => this.#heard(event))
  }

  dispose(): void {
    clearTimeout(this.#timer)
    this.#watch.dispose()
  }

  #heard({ notebook, contentChanges, cellChanges }: vscode.NotebookDocumentChangeEvent): void {
    if (notebook.notebookType !== notebookType || (markOf(notebook.metadata)?.problems.length ?? 0) > 0)
      return
    const { files, controller } = this.#parts
    const added = contentChanges.flatMap(({ addedCells }) => addedCells)
    for (const cell of added) {
      const id = files.knownId(cell) === undefined ? shownRound(cell)?.cell : undefined
      if (id !== undefined) files.adopt(cell, id)
    }
    const drawn = cellChanges.flatMap(({ cell, outputs }) => (outputs === undefined ? [] : [cell]))
    const cells = [...added, ...drawn].filter((cell) => !controller.isBusy(cell))
    if (cells.length === 0) return
    this.#changed.set(notebook, new Set([...(this.#changed.get(notebook) ?? []), ...cells]))
    this.#timer ??= setTimeout(() => void this.#compareAll(), waitMs)
  }

  async #compareAll(): Promise<void> {
    this.#timer = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const [notebook, cells] of changed) await this.#compare(notebook, cells)
  }

  async #compare(notebook: vscode.NotebookDocument, cells: ReadonlySet<vscode.NotebookCell>): Promise<void> {
    const { files, live, controller } = this.#parts
    const recorded = await files.recordedNow(notebook)
    if (!recorded) return
    const recordedOf = recordedRounds(recorded, pricesNow().recorded)
    const byId = new Map(recorded.session.cells.map((cell) => [cell.metadata?.id, cell]))
    const isLost = (id: string) => recorded.records.some((each) => each.type === 'cell' && each.id === id)
    let cleared = 0
    for (const cell of cells) {
      if (notebook.isClosed || cell.index < 0 || controller.isBusy(cell) || !isQuestion(cell)) continue
      const id = files.idOf(cell)
      const known = byId.get(id)
      // Its round was undone. A save would record the question under a new name.
      if (!known && isLost(id)) files.setId(cell, newId())
      const record = known && recordedOf(known)
      const expected = withUnsent(id, record && (live.ended(id)?.round ?? record.round), live.unsent(id))
      if (!isOutdated(shownRound(cell), expected)) continue
      if (cell.outputs.length === 0) cleared += 1
      await controller.draw(cell, { round: expected, summary: live.ended(id)?.summary ?? record?.summary })
    }
    if (cleared > 0) tellWhy()
  }
}

function tellWhy(): void {
  const text = vscode.l10n.t(
    'The answers are shown again, because they are in the session and are sent. Undo Rounds takes rounds out; deleting a cell leaves out its round.',
  )
  void vscode.window.showInformationMessage(messageText(text))
}
