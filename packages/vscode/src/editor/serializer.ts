import * as vscode from 'vscode'
import { codeSpan } from '../language/plain-text.js'
import { recordedRound } from '../notebook/recorded-round.js'
import { roundTimes, summaryOf } from '../notebook/round-times.js'
import { usageByCell } from '../notebook/round-usage.js'
import { typedText } from '../notebook/typed-text.js'
import type { LiveRounds } from './live-rounds.js'
import type { LostEdits } from './lost-edits.js'
import { type NotebookFiles, type NotebookMark, promptLanguage } from './notebook-files.js'
import { outputOf } from './output.js'

/** Opens and saves `.mtm` files as notebooks. The terminal writes the same files. */
export class SessionSerializer implements vscode.NotebookSerializer {
  constructor(
    private readonly files: NotebookFiles,
    private readonly live: LiveRounds,
    private readonly lost: LostEdits,
  ) {}

  deserializeNotebook(bytes: Uint8Array): vscode.NotebookData {
    const opened = this.files.load(bytes)
    const { session, facts, records, token, problems } = opened
    this.lost.beginReading(token, opened)
    const usage = usageByCell(facts)
    const times = roundTimes(records)
    const cells = session.cells.map((cell) => {
      const { mutsumi_interaction: _, role, kind, ...metadata } = cell.metadata ?? {}
      const data = newCell(typedText(cell), role, kind)
      data.metadata = { ...metadata, ...(role === undefined || role === 'user' ? {} : { role }) }
      const id = metadata.id ?? ''
      const shown = this.live.read(id, token)
      const time = times.get(id)
      const known = { end: facts.ends.get(id), usage: usage.get(id), time }
      const round = shown?.round ?? recordedRound(cell, known)
      if (round) data.outputs = [outputOf(round)]
      const summary = shown ? shown.summary : round && summaryOf(round, time)
      if (summary) data.executionSummary = summary
      return data
    })
    const data = new vscode.NotebookData(problems.length > 0 ? [explanation(problems), ...cells] : cells)
    const mutsumi: NotebookMark = { token, problems }
    data.metadata = { ...session.metadata, mutsumi }
    return data
  }

  serializeNotebook(data: vscode.NotebookData): Promise<Uint8Array> {
    return this.files.save(data)
  }
}

function newCell(text: string, role: unknown, kind: unknown): vscode.NotebookCellData {
  const isPrompt = (role === undefined || role === 'user') && kind !== 'markup'
  return isPrompt
    ? new vscode.NotebookCellData(vscode.NotebookCellKind.Code, text, promptLanguage)
    : new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, text, 'markdown')
}

function explanation(problems: readonly string[]): vscode.NotebookCellData {
  const text = [
    vscode.l10n.t('**This session is open for reading only.**'),
    vscode.l10n.t('Parts of the file could not be read. Mutsumi does not write to it, so nothing is lost:'),
    problems
      .slice(0, 20)
      .map((problem) => `- ${codeSpan(problem)}`)
      .join('\n'),
    vscode.l10n.t(
      'Put the lines back from a copy, or run the command "Mutsumi: Repair Session". It keeps the damaged lines in a file beside this one.',
    ),
  ].join('\n\n')
  return new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, text, 'markdown')
}
