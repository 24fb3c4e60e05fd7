import type { Session } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { archivedCells, type CellMark, cellMarks } from '../notebook/cell-marks.js'
import { isQuestion, type NotebookFiles, notebookType } from './notebook-files.js'
import { shownRound } from './output.js'
import { activeNotebook, type Previews } from './previews.js'

/** Says below a cell that it was never asked, is archived, or mentions something that is left out. */
export class CellMarks implements vscode.NotebookCellStatusBarItemProvider, vscode.Disposable {
  readonly #files: NotebookFiles
  readonly #previews: Previews
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #registered: vscode.Disposable
  readonly #archived = new WeakMap<Session, ReadonlySet<string>>()
  readonly onDidChangeCellStatusBarItems = this.#changed.event

  constructor({ files, previews }: { readonly files: NotebookFiles; readonly previews: Previews }) {
    this.#files = files
    this.#previews = previews
    this.#registered = vscode.Disposable.from(
      this.#changed,
      previews.onDidChange(() => this.#changed.fire()),
      vscode.notebooks.registerNotebookCellStatusBarItemProvider(notebookType, this),
    )
  }

  provideCellStatusBarItems({ notebook, index }: vscode.NotebookCell): vscode.NotebookCellStatusBarItem[] {
    const session = this.#files.newestOf(notebook)?.session
    const isActive = activeNotebook()?.notebook === notebook
    const items = (isActive && this.#previews.latest?.items) || []
    const cells = notebook.getCells().map((cell) => ({
      id: this.#files.knownId(cell),
      isQuestion: isQuestion(cell) && cell.document.getText().trim() !== '',
      shown: cell.index === index ? shownRound(cell) : undefined,
    }))
    const archived = session ? this.#archivedOf(session) : new Set<string>()
    return cellMarks(cells, index, { archived, items }).map(itemOf)
  }

  dispose(): void {
    this.#registered.dispose()
  }

  #archivedOf(session: Session): ReadonlySet<string> {
    const known = this.#archived.get(session) ?? archivedCells(session)
    this.#archived.set(session, known)
    return known
  }
}

function itemOf(mark: CellMark): vscode.NotebookCellStatusBarItem {
  const { icon, text, tooltip } = wordsOf(mark)
  const item = new vscode.NotebookCellStatusBarItem(
    `$(${icon}) ${text}`,
    vscode.NotebookCellStatusBarAlignment.Left,
  )
  item.tooltip = tooltip
  return item
}

interface MarkWords {
  readonly icon: string
  readonly text: string
  readonly tooltip: string
}

function wordsOf(mark: CellMark): MarkWords {
  switch (mark.kind) {
    case 'not-asked':
      return mark.hasNext
        ? {
            icon: 'arrow-down',
            text: vscode.l10n.t('not asked: goes with the next question'),
            tooltip: vscode.l10n.t('This cell was never run. Its text is sent before the next question.'),
          }
        : {
            icon: 'circle-outline',
            text: vscode.l10n.t('not asked yet'),
            tooltip: vscode.l10n.t('This cell was never run, so nothing of it was sent.'),
          }
    case 'archived':
      return {
        icon: 'archive',
        text: vscode.l10n.t('archived: no longer sent'),
        tooltip: vscode.l10n.t(
          'A compaction replaced this round by its summary. Undo Compaction brings it back.',
        ),
      }
    case 'left-out':
      return {
        icon: 'circle-slash',
        text: vscode.l10n.t('left out: {0}', mark.names.join(', ')),
        tooltip: vscode.l10n.t('You left this out of the requests. The Context view brings it back.'),
      }
    case 'over-budget':
      return {
        icon: 'fold',
        text: vscode.l10n.t('over the budget: {0}', mark.names.join(', ')),
        tooltip: vscode.l10n.t('There is no room for this in the next request. The Context view can pin it.'),
      }
    default:
      return mark satisfies never
  }
}
