import { localWarning } from '@mutsumi/host'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import type { Agents } from './agents.js'
import { activeNotebook, type Previews } from './previews.js'

const scheme = 'mutsumi-request'

/** The exact next request, as a document that cannot be edited. */
export class DebugContext implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #previews: Previews
  readonly #agents: Agents
  readonly #texts = new Map<string, string>()
  readonly #registered: vscode.Disposable
  #number = 0

  constructor(previews: Previews, agents: Agents) {
    this.#previews = previews
    this.#agents = agents
    this.#registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this)
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? ''
  }

  async open(): Promise<void> {
    const preview = await this.#previews.build()
    if (!preview) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Open a Mutsumi notebook first.'))
      return
    }
    const { notebook } = activeNotebook() ?? {}
    const isComplete = !notebook || !(await this.#agents.waitsForServers(notebook.uri))
    const { requestOf } = await import('../agent/preview-cell.js')
    const path = `/request-${++this.#number}.json`
    this.#texts.clear()
    this.#texts.set(path, `${JSON.stringify(requestOf(preview), null, 2)}\n`)
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path }))
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside })
    const late = vscode.l10n.t(
      'The MCP servers start with the first round. Their tools are not in this request yet.',
    )
    if (!isComplete) void vscode.window.showInformationMessage(messageText(late))
    for (const warning of preview.warnings.slice(0, 3))
      void vscode.window.showWarningMessage(messageText(localWarning(warning, vscode.env.language).message))
  }

  dispose(): void {
    this.#registered.dispose()
  }
}
