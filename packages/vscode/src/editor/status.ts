import * as vscode from 'vscode'
import { count } from '../notebook/context-tree.js'
import { shortModel } from './model-item.js'
import type { Previews } from './previews.js'

/** Shows the model, and the tokens of the next request. */
export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('mutsumi.context', vscode.StatusBarAlignment.Right, 100)
  readonly #watch: vscode.Disposable

  constructor(previews: Previews) {
    this.#item.name = 'Mutsumi'
    this.#item.command = 'mutsumi.debugContext'
    this.#show(previews)
    this.#item.show()
    this.#watch = previews.onDidChange(() => this.#show(previews))
  }

  dispose(): void {
    this.#watch.dispose()
    this.#item.dispose()
  }

  #show({ latest }: Previews): void {
    if (!latest) {
      this.#item.text = '$(comment-discussion) Mutsumi'
      this.#item.tooltip = 'Mutsumi'
      return
    }
    const { total, threshold } = latest.tokens
    this.#item.text = `$(comment-discussion) ${shortModel(latest.model)} ${count(total)}/${count(threshold)}`
    this.#item.tooltip = vscode.l10n.t(
      'Mutsumi: the next request has {0} tokens; history is compacted at {1}. Click to see the request.',
      total,
      threshold,
    )
  }
}
