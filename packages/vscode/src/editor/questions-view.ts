import * as vscode from 'vscode'
import type { OpenPermissionQuestion, PermissionQuestions } from './permission-questions.js'

/** The calls that wait for permission, in all notebooks of the window. They can be answered here too. */
export class QuestionsView implements vscode.TreeDataProvider<OpenPermissionQuestion>, vscode.Disposable {
  readonly #questions: PermissionQuestions
  readonly #changed = new vscode.EventEmitter<undefined>()
  readonly #view: vscode.TreeView<OpenPermissionQuestion>
  readonly #watch: vscode.Disposable
  readonly onDidChangeTreeData = this.#changed.event

  constructor(questions: PermissionQuestions) {
    this.#questions = questions
    this.#view = vscode.window.createTreeView('mutsumi.questions', { treeDataProvider: this })
    this.#watch = vscode.Disposable.from(
      ...[this.#changed, this.#view],
      questions.onDidChange(() => this.#show()),
    )
  }

  getChildren(node?: OpenPermissionQuestion): OpenPermissionQuestion[] {
    return node ? [] : [...this.#questions.open]
  }

  getTreeItem(open: OpenPermissionQuestion): vscode.TreeItem {
    const { question, shown } = open
    const item = new vscode.TreeItem(question.call.name)
    item.description = shown.target
    item.tooltip = `${item.description}\n${shown.reason}`
    item.iconPath = new vscode.ThemeIcon('question')
    const kinds = [
      ...(shown.preview === undefined ? [] : ['diff']),
      ...(shown.lasting.length > 0 ? ['lasting'] : []),
    ]
    item.contextValue = ['question', ...kinds].join(' ')
    if (shown.preview !== undefined)
      item.command = {
        command: 'mutsumi.showChange',
        title: vscode.l10n.t('Open the Change'),
        arguments: [open],
      }
    return item
  }

  dispose(): void {
    this.#watch.dispose()
  }

  #show(): void {
    const waiting = this.#questions.open.length
    this.#view.badge =
      waiting === 0
        ? undefined
        : { value: waiting, tooltip: vscode.l10n.t('Calls that wait for your permission: {0}', waiting) }
    this.#changed.fire(undefined)
  }
}
