import { isNote, safeLine } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { sessionName } from '../notebook/notebook-metadata.js'
import { recordedRounds, withUnsent } from '../notebook/shown-rounds.js'
import { typedText } from '../notebook/typed-text.js'
import type { LiveRounds } from './live-rounds.js'
import type { LostEdits } from './lost-edits.js'
import { type NotebookFiles, type NotebookMark, noteLanguage, promptLanguage } from './notebook-files.js'
import { outputOf } from './output.js'
import { pricesNow } from './prices.js'

/** Opens and saves `.mtm` files as notebooks. The terminal writes the same files. */
export class SessionSerializer implements vscode.NotebookSerializer {
  constructor(
    private readonly files: NotebookFiles,
    private readonly live: LiveRounds,
    private readonly lost: LostEdits,
  ) {}

  deserializeNotebook(bytes: Uint8Array): vscode.NotebookData {
    const opened = this.files.load(bytes)
    const { session, token, problems } = opened
    this.lost.beginReading(token, opened)
    const recordedOf = recordedRounds(opened, pricesNow().recorded)
    const cells = session.cells.map((cell) => {
      const { mutsumi_interaction: _, role, kind: __, ...metadata } = cell.metadata ?? {}
      const isQuestion = (role === undefined || role === 'user') && !isNote(cell.metadata)
      const data = newCell(typedText(cell), isQuestion ? promptLanguage : noteLanguage)
      data.metadata = { ...metadata, ...(role === undefined || role === 'user' ? {} : { role }) }
      const id = metadata.id ?? ''
      const shown = this.live.read(id, token) ?? recordedOf(cell)
      const round = withUnsent(id, shown?.round, this.live.unsent(id))
      if (round) data.outputs = [outputOf(round)]
      if (shown) data.executionSummary = shown.summary
      return data
    })
    const data = new vscode.NotebookData(
      problems.length > 0 ? [explanation(problems), ...cells] : [...cells, ...nextCell(cells.at(-1))],
    )
    const mutsumi: NotebookMark = { token, problems }
    data.metadata = { ...session.metadata, [sessionName]: opened.header.id, mutsumi }
    return data
  }

  serializeNotebook(data: vscode.NotebookData): Promise<Uint8Array> {
    return this.files.save(data)
  }
}

/** An empty prompt, unless the last cell is a question that waits to be asked. It is not in the file until it has a text. */
function nextCell(last: vscode.NotebookCellData | undefined): readonly vscode.NotebookCellData[] {
  const waits = last?.languageId === promptLanguage && last.outputs === undefined
  return waits ? [] : [newCell('', promptLanguage)]
}

/**
 * All text of a file is shown as plain text. In a trusted workspace the editor runs scripts in Markdown cells, so no cell
 * that comes from a file is one.
 */
function newCell(text: string, language: string): vscode.NotebookCellData {
  return new vscode.NotebookCellData(vscode.NotebookCellKind.Code, text, language)
}

function explanation(problems: readonly string[]): vscode.NotebookCellData {
  const text = [
    vscode.l10n.t('This session is open for reading only.'),
    vscode.l10n.t('Parts of the file could not be read. Mutsumi does not write to it, so nothing is lost:'),
    problems
      .slice(0, 20)
      .map((problem) => `- ${safeLine(problem)}`)
      .join('\n'),
    vscode.l10n.t(
      'Put the lines back from a copy, or run the command "Mutsumi: Repair Session". It keeps the damaged lines in a file beside this one.',
    ),
  ].join('\n\n')
  return newCell(text, noteLanguage)
}
