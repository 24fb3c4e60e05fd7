import * as vscode from 'vscode'
import { promptLanguage } from './notebook-files.js'

/** Says in an empty prompt what to do. */
export class Placeholder implements vscode.Disposable {
  readonly #hint = vscode.window.createTextEditorDecorationType({
    // Beside the text, so that the cursor stays at the beginning.
    before: {
      contentText: hintText(),
      color: new vscode.ThemeColor('input.placeholderForeground'),
      textDecoration: 'none; position: absolute; white-space: nowrap; pointer-events: none',
    },
  })
  readonly #watch: vscode.Disposable

  constructor() {
    for (const editor of vscode.window.visibleTextEditors) this.#show(editor)
    this.#watch = vscode.Disposable.from(
      this.#hint,
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) this.#show(editor)
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.languageId !== promptLanguage) return
        for (const editor of vscode.window.visibleTextEditors)
          if (editor.document === document) this.#show(editor)
      }),
    )
  }

  dispose(): void {
    this.#watch.dispose()
  }

  #show(editor: vscode.TextEditor): void {
    const { languageId, uri, lineCount, lineAt } = editor.document
    if (languageId !== promptLanguage || uri.scheme !== 'vscode-notebook-cell') return
    const isEmpty = lineCount === 1 && lineAt(0).text === ''
    editor.setDecorations(this.#hint, isEmpty ? [new vscode.Range(0, 0, 0, 0)] : [])
  }
}

function hintText(): string {
  const keys = process.platform === 'darwin' ? '⌘Enter' : 'Ctrl+Enter'
  return vscode.l10n.t('Ask something. @ mentions files, / calls commands, {0} sends.', keys)
}
