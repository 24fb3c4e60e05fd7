import { posix } from 'node:path'
import * as vscode from 'vscode'
import { innermost, linesOfRange, type SymbolRange } from '../language/symbol-range.js'
import { type ReferencedLines, referenceTo } from '../language/workspace-path.js'
import { notebookType } from './notebook-files.js'
import { isLocal, rootOf, rootUriOf } from './places.js'

/**
 * Copies `@[src/a.ts:3:9]`: of files that are chosen in the explorer, of the lines that are selected in an editor, or of
 * the symbol at the cursor.
 */
export async function copyReference(uri?: vscode.Uri, all: readonly vscode.Uri[] = []): Promise<void> {
  const editor = vscode.window.activeTextEditor
  const target = uri ?? editor?.document.uri
  if (!target) return
  const isOpen = target.toString() === editor?.document.uri.toString()
  const lines = isOpen && all.length <= 1 ? await linesOf(editor) : undefined
  const targets = all.length > 1 ? all : [target]
  const references = targets.map((each) => reference(each, lines))
  await vscode.env.clipboard.writeText(references.join(' '))
  vscode.window.setStatusBarMessage(vscode.l10n.t('Copied {0}', references.join(' ')), 3000)
}

/** A file in another folder than the notebook in front is named by its whole path. */
function reference(uri: vscode.Uri, lines: ReferencedLines | undefined): string {
  const shown = vscode.window.visibleNotebookEditors.find(
    ({ notebook }) => notebook.notebookType === notebookType && notebook.uri.scheme === uri.scheme,
  )
  const from = shown?.notebook.uri ?? uri
  return isLocal(uri)
    ? referenceTo(uri.fsPath, rootOf(from), { lines })
    : referenceTo(uri.path, rootUriOf(from).path, { lines, flavour: posix })
}

async function linesOf({ selection, document }: vscode.TextEditor): Promise<ReferencedLines | undefined> {
  if (!selection.isEmpty) return linesOfRange(selection)
  const symbols = await vscode.commands.executeCommand<SymbolRange[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  )
  return innermost(symbols ?? [], selection.active)
}
