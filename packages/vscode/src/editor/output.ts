import * as vscode from 'vscode'
import { localRound } from '../notebook/local-round.js'
import { answerText, type RoundOutput, roundType } from '../notebook/round-output.js'

/** A round as an output: for our renderer, and as Markdown for everything else. */
export function outputOf(round: RoundOutput): vscode.NotebookCellOutput {
  return new vscode.NotebookCellOutput(itemsOf(round), { language: vscode.env.language })
}

export function itemsOf(round: RoundOutput): vscode.NotebookCellOutputItem[] {
  return [
    vscode.NotebookCellOutputItem.json(localRound(round, vscode.env.language), roundType),
    vscode.NotebookCellOutputItem.text(answerText(round), 'text/markdown'),
  ]
}
