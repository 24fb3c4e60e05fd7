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
