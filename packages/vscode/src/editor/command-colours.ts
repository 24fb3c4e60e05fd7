import * as vscode from 'vscode'
import { calledName } from '../language/user-command-site.js'
import type { Agents } from './agents.js'
import { notebookType, promptLanguage } from './notebook-files.js'
import { isLocal } from './places.js'

const legend = new vscode.SemanticTokensLegend(['mutsumiCommand'])

/** Colours `/name` at the start of a prompt, if there is such a command. */
export class CommandColours implements vscode.DocumentSemanticTokensProvider, vscode.Disposable {
  readonly #agents: Agents
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #registered: vscode.Disposable
  readonly onDidChangeSemanticTokens = this.#changed.event

  constructor(agents: Agents) {
    this.#agents = agents
    const selector = { language: promptLanguage, notebookType }
    const changed = () => this.#changed.fire()
    const files = vscode.workspace.createFileSystemWatcher('**/.mutsumi/commands/**')
    this.#registered = vscode.Disposable.from(
      ...[this.#changed, files, agents.onDidChange(changed)],
      ...[files.onDidCreate(changed), files.onDidDelete(changed)],
      vscode.languages.registerDocumentSemanticTokensProvider(selector, this, legend),
    )
  }

  async provideDocumentSemanticTokens(document: vscode.TextDocument): Promise<vscode.SemanticTokens> {
    const tokens = new vscode.SemanticTokensBuilder(legend)
    const called = calledName(document.getText())
    if (called && isLocal(document.uri) && (await this.#isKnown(called.name, document.uri))) {
      const [from, to] = [document.positionAt(called.from), document.positionAt(called.to)]
      tokens.push(new vscode.Range(from, to), 'mutsumiCommand')
    }
    return tokens.build()
  }

  async #isKnown(wanted: string, uri: vscode.Uri): Promise<boolean> {
    const { toolbox, run } = await this.#agents.of(uri)
    const { listCommands } = await import('@mutsumi/tools')
    const all = await listCommands({ workspace: toolbox.workspace, trusted: run.trusted })
    return all.some(({ name }) => name === wanted)
  }

  dispose(): void {
    this.#registered.dispose()
  }
}
