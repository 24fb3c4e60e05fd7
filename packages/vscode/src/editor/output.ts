import * as vscode from 'vscode'
import { localRound } from '../notebook/local-round.js'
import { answerText, type RoundOutput, roundType } from '../notebook/round-output.js'

/**
 * A round as an output: for our renderer, and as plain text for everything else. Never as Markdown: a project's settings can
 * choose the order of the types, and the editor's own renderer runs scripts in Markdown.
 */
export function outputOf(round: RoundOutput): vscode.NotebookCellOutput {
  return new vscode.NotebookCellOutput(itemsOf(round), { language: vscode.env.language })
}

export function itemsOf(round: RoundOutput): vscode.NotebookCellOutputItem[] {
  return [
    vscode.NotebookCellOutputItem.json(localRound(round, vscode.env.language), roundType),
    vscode.NotebookCellOutputItem.text(answerText(round), 'text/plain'),
  ]
}

/** The round that a cell shows; undefined if it shows none. */
export function shownRound({ outputs }: Pick<vscode.NotebookCell, 'outputs'>): RoundOutput | undefined {
  const item = outputs.flatMap(({ items }) => items).find(({ mime }) => mime === roundType)
  if (!item) return undefined
  try {
    // Only this extension writes outputs of this type.
    return JSON.parse(Buffer.from(item.data).toString('utf8')) as RoundOutput
  } catch {
    return undefined
  }
}
