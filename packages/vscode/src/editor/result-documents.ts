import * as vscode from 'vscode'
import { isLocal, notLocal } from './places.js'

const scheme = 'mutsumi-result'

/** Results as the model read them, as documents beside the notebook that cannot be edited. */
export class ResultDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** By their addresses, until the document is closed. */
  readonly #texts = new Map<string, string>()
  readonly #registered: vscode.Disposable
  #number = 0

  constructor() {
    this.#registered = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.path)),
    )
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? ''
  }

  async show(notebook: vscode.Uri, call: string): Promise<void> {
    const { resultText } = await import('../agent/result-text.js')
    const text = isLocal(notebook)
      ? ((await resultText(notebook.fsPath, call)) ?? vscode.l10n.t('This call has no result.'))
      : notLocal(notebook).message
    const path = `/${vscode.l10n.t('result')}-${++this.#number}.txt`
    this.#texts.set(path, text)
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path }))
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true })
  }

  dispose(): void {
    this.#registered.dispose()
  }
}
