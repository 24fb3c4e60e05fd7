import type { Session } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { archivedCells, askedTexts, type CellMark, cellMarks } from '../notebook/cell-marks.js'
import type { OpenedNotebook } from '../notebook/open-notebook.js'
import { isQuestion, type NotebookFiles, notebookType } from './notebook-files.js'
import { shownRound } from './output.js'
import { activeNotebook, type Previews } from './previews.js'

/** Says below a cell that it was never asked, is archived, or mentions something that is left out. */
export class CellMarks implements vscode.NotebookCellStatusBarItemProvider, vscode.Disposable {
  readonly #files: NotebookFiles
  readonly #previews: Previews
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #registered: vscode.Disposable
  readonly #asked = new WeakMap<OpenedNotebook, ReadonlyMap<string, string>>()
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
    const opened = this.#files.newestOf(notebook)
    const session = opened?.session
    const isActive = activeNotebook()?.notebook === notebook
    const items = (isActive && this.#previews.latest?.items) || []
    const cells = notebook.getCells().map((cell) => ({
      id: this.#files.knownId(cell),
      isQuestion: isQuestion(cell) && cell.document.getText().trim() !== '',
      shown: cell.index === index ? shownRound(cell) : undefined,
      isEdited: cell.index === index && opened !== undefined && this.#isEdited(cell, opened),
    }))
    const archived = session ? this.#archivedOf(session) : new Set<string>()
    return cellMarks(cells, index, { archived, items }).map(itemOf)
  }

  dispose(): void {
    this.#registered.dispose()
  }

  #isEdited(cell: vscode.NotebookCell, opened: OpenedNotebook): boolean {
    const texts = this.#asked.get(opened) ?? askedTexts(opened.records)
    this.#asked.set(opened, texts)
    const asked = texts.get(this.#files.knownId(cell) ?? '')
    return asked !== undefined && asked !== cell.document.getText().replaceAll('\r\n', '\n')
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
    case 'not-answered':
      return {
        icon: mark.hasNext ? 'arrow-down' : 'circle-outline',
        text: mark.hasNext
          ? vscode.l10n.t('not answered: goes with the next question')
          : vscode.l10n.t('not answered yet'),
        tooltip: vscode.l10n.t(
          'The round of this cell ended before any answer. Its text is sent before the next question.',
        ),
      }
    case 'edited':
      return {
        icon: 'edit',
        text: vscode.l10n.t('edited since it was answered'),
        tooltip: vscode.l10n.t(
          'The next request has the text as it is now, with the answer to its earlier words. Run the cell again to answer it.',
        ),
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
