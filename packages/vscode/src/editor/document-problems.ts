import * as vscode from 'vscode'
import type { Agents } from './agents.js'
import { documentSelector } from './language.js'
import { isLocal } from './places.js'
import { diagnosticsOf } from './problems.js'

const quietMs = 400

/** Underlines problems in rules and user commands, after the user paused. */
export class DocumentProblems implements vscode.Disposable {
  readonly #agents: Agents
  readonly #collection = vscode.languages.createDiagnosticCollection('mutsumi-documents')
  readonly #watch: vscode.Disposable
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(agents: Agents) {
    this.#agents = agents
    this.#watch = vscode.Disposable.from(
      this.#collection,
      vscode.workspace.onDidOpenTextDocument((document) => this.#soon(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#soon(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#collection.delete(uri)),
    )
    for (const document of vscode.workspace.textDocuments) this.#soon(document)
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#watch.dispose()
  }

  #soon(document: vscode.TextDocument): void {
    if (vscode.languages.match(documentSelector, document) === 0 || !isLocal(document.uri)) return
    const key = document.uri.toString()
    clearTimeout(this.#timers.get(key))
    const look = () => {
      this.#timers.delete(key)
      void this.#look(document)
    }
    this.#timers.set(key, setTimeout(look, quietMs))
  }

  async #look(document: vscode.TextDocument): Promise<void> {
    try {
      const { documentProblems } = await import('../agent/document-problems.js')
      const { version, uri } = document
      const parts = await this.#agents.of(uri)
      const problems = await documentProblems(parts, {
        ...{ path: uri.fsPath, text: document.getText(), language: vscode.env.language },
      })
      if (!document.isClosed && document.version === version)
        this.#collection.set(uri, diagnosticsOf(document, problems))
    } catch {
      // A wrong setting. Running a cell shows the cause.
    }
  }
}
