import * as vscode from 'vscode'
import { type PromptProblem, problemsIn } from '../language/problems.js'
import { editorWarning } from '../notebook/editor-words.js'
import { isQuestion } from './notebook-files.js'
import { activeNotebook, type Previews } from './previews.js'

/** Broken references, unknown macros and the like, as the engine finds them while it builds the next request. */
export class Problems implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('mutsumi')
  readonly #watch: vscode.Disposable

  constructor(previews: Previews) {
    this.#watch = vscode.Disposable.from(
      this.#collection,
      previews.onDidChange((preview) => {
        const editor = activeNotebook()
        const cells = editor?.notebook.getCells().filter(isQuestion)
        const cell = cells?.find(({ index }) => index === editor?.selection?.start) ?? cells?.at(-1)
        if (!cell || !preview) return
        this.#show(
          cell.document,
          preview.warnings.map((warning) => editorWarning(warning, vscode.env.language)),
        )
      }),
    )
  }

  dispose(): void {
    this.#watch.dispose()
  }

  #show(document: vscode.TextDocument, warnings: Parameters<typeof problemsIn>[1]): void {
    const found = problemsIn(document.getText(), warnings, 'prompt')
    this.#collection.set(document.uri, diagnosticsOf(document, found))
  }
}

export function diagnosticsOf(
  document: vscode.TextDocument,
  problems: readonly PromptProblem[],
): vscode.Diagnostic[] {
  return problems.map(({ from, to, message, code }) => {
    const range = new vscode.Range(document.positionAt(from), document.positionAt(to))
    const problem = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Warning)
    problem.source = 'mutsumi'
    problem.code = code
    return problem
  })
}
