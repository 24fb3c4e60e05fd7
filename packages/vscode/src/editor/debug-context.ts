import { safeLine } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { editorWarning } from '../notebook/editor-words.js'
import type { Agents } from './agents.js'
import { activeNotebook, type Previews } from './previews.js'
import { failureText, showFailure } from './show-failure.js'

const scheme = 'mutsumi-request'
/** YAML whose long lines wrap. */
const requestLanguage = 'mutsumi-request'

/** The next request as its provider gets it, as documents that cannot be edited: laid out for people, and byte for byte. */
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
    const { notebook } = activeNotebook() ?? {}
    if (!preview || !notebook) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Open a Mutsumi notebook first.'))
      return
    }
    const { shownRequest } = await import('../agent/shown-request.js')
    const { model, fault } = await this.#agents.ofSession(notebook)
    const { head, text, body } = await shownRequest(model, preview)
    const number = ++this.#number
    this.#texts.clear()
    this.#texts.set(`/request-${number}.yaml`, `${headText({ model: model.name, head, fault })}\n${text}`)
    this.#texts.set(`/request-${number}.json`, body)
    const shown = await this.#show(`/request-${number}.yaml`, vscode.ViewColumn.Beside)
    await vscode.languages.setTextDocumentLanguage(shown, requestLanguage)
    if (fault) void showFailure(fault)
    const late = vscode.l10n.t(
      'The MCP servers start with the first round. Their tools are not in this request yet.',
    )
    if (await this.#agents.waitsForServers(notebook.uri))
      void vscode.window.showInformationMessage(messageText(late))
    for (const warning of preview.warnings.slice(0, 3))
      void vscode.window.showWarningMessage(messageText(editorWarning(warning, vscode.env.language).message))
  }

  /** The exact body of the request that is shown. */
  async openBody(): Promise<void> {
    const path = `/request-${this.#number}.json`
    if (this.#texts.has(path)) await this.#show(path, vscode.ViewColumn.Active)
  }

  async #show(path: string, viewColumn: vscode.ViewColumn): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path }))
    await vscode.window.showTextDocument(document, { preview: true, viewColumn })
    return document
  }

  dispose(): void {
    this.#registered.dispose()
  }
}

interface RequestHead {
  readonly model: string
  readonly head: readonly string[] | undefined
  /** Why the model cannot be asked. */
  readonly fault: Error | undefined
}

/** Comments above the body. */
function headText(request: RequestHead): string {
  const { fault } = request
  const why = fault
    ? [
        safeLine(failureText(fault)),
        vscode.l10n.t('So nothing can be sent now. This is what would be sent.'),
        '',
      ]
    : []
  return [...[...why, ...formLines(request)].map((line) => `# ${line}`.trimEnd()), ''].join('\n')
}

function formLines({ model, head, fault }: RequestHead): readonly string[] {
  if (head)
    return [
      vscode.l10n.t('The next request, as it goes over the wire. The key is not shown.'),
      vscode.l10n.t(
        'The body is one line of JSON. Here its texts are laid out; "Exact Body" above shows its bytes.',
      ),
      '',
      ...head,
    ]
  if (fault) return [vscode.l10n.t('Its form depends on the model. These are its messages.')]
  return [
    vscode.l10n.t('{0} answers without a request over the wire. It reads these messages.', safeLine(model)),
  ]
}
