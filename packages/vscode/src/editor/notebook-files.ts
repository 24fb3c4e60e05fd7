import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { NoteKind, Session, SessionCell } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { fileTurns } from '../agent/file-turns.js'
import type { EditedNotebook } from '../agent/kept-previews.js'
import { messageText } from '../language/plain-text.js'
import { ownIds, pairedIds } from '../notebook/cell-ids.js'
import { savedMetadata, sessionName } from '../notebook/notebook-metadata.js'
import { type OpenedNotebook, openNotebook } from '../notebook/open-notebook.js'
import {
  type NotebookState,
  notebookChanges,
  type SaveSources,
  saveNotebook,
} from '../notebook/save-notebook.js'
import { type RecordedNotebook, withAdded } from '../notebook/shown-rounds.js'
import { isLocal } from './places.js'

/** The type of our notebooks. */
export const notebookType = 'mutsumi'
/** The language of prompts. */
export const promptLanguage = 'mutsumi'
/** The language of plain text that is never sent: notes, and texts of other roles. */
export const noteLanguage = 'mutsumi-note'

interface Loaded {
  readonly opened: OpenedNotebook
  /** Ids of cells that the notebook has shown. */
  readonly known: Set<string>
}

export interface NotebookMark {
  /** Names the reading of the file that the notebook shows. */
  readonly token: string
  /** The reasons why the notebook is read-only. Empty if it is not. */
  readonly problems: readonly string[]
}

/** The readings of the open notebooks. A serializer does not learn which file it reads, so each reading has a token. */
export class NotebookFiles {
  readonly #loaded = new Map<string, Loaded>()
  readonly #ids = new WeakMap<vscode.NotebookCell, string>()
  /** The ids that cells had before, which tell an original from its copy. */
  readonly #before = new WeakMap<vscode.NotebookCell, string>()
  /** The newest state on disk of a file that has grown since it was opened. */
  readonly #newest = new WeakMap<OpenedNotebook, OpenedNotebook>()
  /** Size, times and place of the file when it had this content. */
  readonly #stamps = new WeakMap<OpenedNotebook, string>()

  load(bytes: Uint8Array): OpenedNotebook & NotebookMark {
    const opened = openNotebook(bytes, { newId, now })
    const token = newId()
    const known = new Set(opened.session.cells.flatMap(({ metadata }) => metadata?.id ?? []))
    this.#forget()
    this.#loaded.set(token, { opened, known })
    return { ...opened, token }
  }

  /** The file that a notebook was read from. */
  openedOf({ metadata }: Pick<vscode.NotebookDocument, 'metadata'>): OpenedNotebook | undefined {
    return this.#loaded.get(markOf(metadata)?.token ?? '')?.opened
  }

  /** The newest state of its file that was read. It may have grown since the notebook was opened. */
  newestOf(notebook: Pick<vscode.NotebookDocument, 'metadata'>): OpenedNotebook | undefined {
    const opened = this.openedOf(notebook)
    return opened && (this.#newest.get(opened) ?? opened)
  }

  /** A cell as the file has it. */
  recordedOf(cell: vscode.NotebookCell): SessionCell | undefined {
    const id = this.knownId(cell)
    return this.openedOf(cell.notebook)?.session.cells.find(({ metadata }) => metadata?.id === id)
  }

  /** The session of a notebook as its next request takes it: the file as it is now, with the unsaved edits. */
  async recordedNow(notebook: vscode.NotebookDocument): Promise<RecordedNotebook | undefined> {
    // Nothing is written to a damaged file.
    if ((markOf(notebook.metadata)?.problems.length ?? 0) > 0) return this.openedOf(notebook)
    const { state, sources } = await this.#saving(dataOf(notebook), 'if-written')
    return withAdded(sources.disk, notebookChanges(state, sources))
  }

  /** The id of a cell; a new cell gets one. */
  idOf(cell: vscode.NotebookCell): string {
    return this.#idsOf(cell.notebook)[cell.index] ?? newId()
  }

  /** The id of a cell if it has one already. */
  knownId(cell: vscode.NotebookCell): string | undefined {
    const id = this.#ids.get(cell) ?? cell.metadata.id
    return typeof id === 'string' && id !== '' ? id : undefined
  }

  /** A copied cell has the id of its original, and gets a new one. */
  #idsOf(notebook: vscode.NotebookDocument): readonly string[] {
    const cells = notebook.getCells()
    const known = cells.map((cell) => ({ id: this.knownId(cell), before: this.#before.get(cell) }))
    const ids = ownIds(known, newId)
    for (const [index, cell] of cells.entries()) {
      const id = ids[index] ?? ''
      if (id !== known[index]?.id) this.#ids.set(cell, id)
      this.#before.set(cell, id)
    }
    return ids
  }

  setId(cell: vscode.NotebookCell, id: string): void {
    this.#ids.set(cell, id)
    this.#loaded.get(markOf(cell.notebook.metadata)?.token ?? '')?.known.add(id)
  }

  /**
   * The cell that another one was before it was cut and pasted: the editor pastes only texts and outputs. False if the
   * session has no such cell, or if the notebook shows it still.
   */
  adopt(cell: vscode.NotebookCell, id: string): boolean {
    const { records = [] } = this.newestOf(cell.notebook) ?? {}
    const isFree = cell.notebook.getCells().every((other) => other === cell || this.knownId(other) !== id)
    if (!isFree || !records.some((record) => record.type === 'cell' && record.id === id)) return false
    this.setId(cell, id)
    return true
  }

  /** The file of a notebook, and the records that saving it now would add. */
  async currentOf(notebook: vscode.NotebookDocument): Promise<EditedNotebook> {
    const { state, sources } = await this.#saving(dataOf(notebook), 'if-written')
    const path = isLocal(notebook.uri) ? notebook.uri.fsPath : undefined
    return { path, disk: sources.disk, added: notebookChanges(state, sources) }
  }

  /** The bytes that saving a notebook writes. */
  async save(data: vscode.NotebookData): Promise<Uint8Array> {
    const { state, sources } = await this.#saving(data, 'always')
    return saveNotebook(state, sources).bytes
  }

  async #saving(
    data: vscode.NotebookData,
    read: 'always' | 'if-written',
  ): Promise<{ readonly state: NotebookState; readonly sources: SaveSources }> {
    const open = documentOf(data)
    const mark = markOf(open?.metadata ?? data.metadata)
    if (mark && mark.problems.length > 0) throw new Error(readOnlyText(mark.problems))
    const reading = this.#loaded.get(mark?.token ?? '') ?? this.#readingOf(data)
    const before = reading?.opened ?? empty()
    if (open && read === 'always') await fileTurns.asked(open.uri.fsPath)
    const disk = open && !open.isUntitled ? await this.#onDisk(open.uri, before, read) : before
    if (disk.problems.length > 0) throw new Error(readOnlyText(disk.problems))
    const shown = open ? this.#idsOf(open) : []
    const live =
      open?.getCells().map((cell, index) => ({ text: cell.document.getText(), id: shown[index] })) ?? []
    // The extension may have been started anew while the notebook was open. Its cells have their ids still.
    const loaded = reading ?? { opened: disk, known: new Set(shown) }
    const ids = pairedIds(
      data.cells.map(({ value }) => ({ text: value })),
      live,
    )
    const all = data.cells.map(({ value, metadata, kind, languageId }, index) => ({
      content: value,
      metadata: {
        ...(metadata?.role === undefined ? {} : { role: String(metadata.role) }),
        ...((kind === vscode.NotebookCellKind.Markup || languageId === noteLanguage) && {
          kind: 'markup' satisfies NoteKind,
        }),
        id: ids[index] ?? newId(),
      },
    }))
    const cells = withoutNext(all, disk.session)
    const metadata = savedMetadata(data.metadata ?? {}, open?.metadata ?? loaded.opened.session.metadata)
    const known = new Set(loaded.known)
    for (const { metadata: cell } of cells) loaded.known.add(cell.id)
    const sources = { loaded: loaded.opened, disk, known, newId, at: now() }
    return { state: { cells, metadata }, sources }
  }

  /** The newest reading of a session, if no open notebook shows it any more. */
  #readingOf({ metadata }: vscode.NotebookData): Loaded | undefined {
    const id = metadata?.[sessionName]
    return [...this.#loaded.values()].findLast(({ opened }) => opened.header.id === id)
  }

  /** The file as it is now; if it was deleted, as it was read last. Throws if it cannot be read: others may have written. */
  async #onDisk(
    uri: vscode.Uri,
    opened: OpenedNotebook,
    read: 'always' | 'if-written',
  ): Promise<OpenedNotebook> {
    const newest = this.#newest.get(opened) ?? opened
    try {
      const stamp = await stampOf(uri)
      if (read === 'if-written' && stamp !== undefined && this.#stamps.get(newest) === stamp) return newest
      const bytes = await vscode.workspace.fs.readFile(uri)
      const isSame = Buffer.compare(bytes, newest.bytes) === 0
      const found = isSame ? newest : openNotebook(bytes, { newId, now })
      if (!isSame) this.#newest.set(opened, found)
      if (stamp !== undefined) this.#stamps.set(found, stamp)
      return found
    } catch (error) {
      if (!isMissing(error)) throw error
      // The whole session is written again.
      return { ...newest, isRewritten: true, endsOpen: false }
    }
  }

  #forget(): void {
    const used = new Set(vscode.workspace.notebookDocuments.map(({ metadata }) => markOf(metadata)?.token))
    const unused = [...this.#loaded.keys()].filter((token) => !used.has(token))
    // A notebook that is being opened or reverted still needs the newest ones.
    for (const token of unused.slice(0, -8)) this.#loaded.delete(token)
  }
}

/** A notebook as the editor hands it over for saving. */
function dataOf(notebook: vscode.NotebookDocument): vscode.NotebookData {
  const data = new vscode.NotebookData(
    notebook.getCells().map((cell) => {
      const made = new vscode.NotebookCellData(cell.kind, cell.document.getText(), cell.document.languageId)
      made.metadata = cell.metadata
      return made
    }),
  )
  data.metadata = notebook.metadata
  return data
}

/**
 * The open notebook that is saved: the editor says neither which one, nor the reading that it shows. It takes the texts from the
 * notebook at the same moment.
 */
function documentOf({ metadata, cells }: vscode.NotebookData): vscode.NotebookDocument | undefined {
  const { notebookDocuments, fs } = vscode.workspace
  const mark = markOf(metadata)
  if (mark) return notebookDocuments.find((each) => markOf(each.metadata)?.token === mark.token)
  const id = metadata?.[sessionName]
  // The other side of a diff shows the same session, but nobody can write to it.
  const same = notebookDocuments.filter(
    (each) =>
      id !== undefined &&
      each.metadata[sessionName] === id &&
      fs.isWritableFileSystem(each.uri.scheme) !== false,
  )
  if (same.length <= 1) return same[0]
  const equal = same.filter((each) => {
    const open = each.getCells()
    return (
      open.length === cells.length && open.every((cell, at) => cell.document.getText() === cells[at]?.value)
    )
  })
  const saving = equal.filter(({ uri }) => fileTurns.isSaving(uri.fsPath))
  const [found, ...others] = saving.length > 0 ? saving : equal
  if (!found || others.length > 0)
    throw new Error(
      vscode.l10n.t(
        'Two open notebooks are copies of one session, so it is not clear which one is saved. Close one.',
      ),
    )
  return found
}

/** Without the empty prompts at the end that were never recorded: they only invite to write. */
function withoutNext<Cell extends SessionCell>(
  cells: readonly Cell[],
  { cells: recorded }: Session,
): readonly Cell[] {
  const isWritten = ({ content, metadata }: Cell) =>
    content.trim() !== '' || recorded.some((cell) => cell.metadata?.id === metadata?.id)
  return cells.slice(0, cells.findLastIndex(isWritten) + 1)
}

/** Whether a cell is a question. Notes are Markdown cells until the file is read again, then plain text. */
export function isQuestion({ kind, document }: vscode.NotebookCell): boolean {
  return kind === vscode.NotebookCellKind.Code && document.languageId !== noteLanguage
}

export function markOf(metadata: Readonly<Record<string, unknown>> | undefined): NotebookMark | undefined {
  return metadata?.mutsumi as NotebookMark | undefined
}

function readOnlyText(problems: readonly string[]): string {
  return vscode.l10n.t(
    'Mutsumi does not write to this file, because it is damaged: {0}',
    messageText(problems.slice(0, 3).join('; ')),
  )
}

function empty(): OpenedNotebook {
  return openNotebook(new Uint8Array(), { newId, now })
}

/** Another one after every write to a local file; undefined if that is not known. */
async function stampOf(uri: vscode.Uri): Promise<string | undefined> {
  if (!isLocal(uri)) return undefined
  const found = await stat(uri.fsPath, { bigint: true }).catch(() => undefined)
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FileNotFound'
}

export function newId(): string {
  return randomUUID().slice(0, 13)
}

export function now(): string {
  return new Date().toISOString()
}
