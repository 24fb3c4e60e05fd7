import { basename } from 'node:path'
import type { PermissionAnswer } from '@mutsumi/tools'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { isWholeInLine, questionLine } from '../notebook/question-notice.js'
import { questionInFront } from './change-diff.js'
import type { Follower } from './follower.js'
import { looksAt, type MessageWish } from './long-rounds.js'
import type { OpenPermissionQuestion, PermissionQuestions } from './permission-questions.js'
import { type QuestionPlace, showQuestion } from './show-question.js'

/** Between two editors, none is active for a moment. */
const settledMs = 200

/** Nobody misses a question: it scrolls into view, the status bar says that it waits, and a message names it elsewhere. */
export class QuestionNotices implements vscode.Disposable {
  readonly #questions: PermissionQuestions
  readonly #follower: Follower
  readonly #isWanted: MessageWish
  readonly #item = vscode.window.createStatusBarItem('mutsumi.question', vscode.StatusBarAlignment.Left, 1000)
  readonly #watch: vscode.Disposable
  #timer: NodeJS.Timeout | undefined
  /** Questions whose message was shown. */
  readonly #told = new WeakSet<OpenPermissionQuestion>()

  constructor({ questions, follower }: QuestionPlace, isWanted: MessageWish) {
    this.#isWanted = isWanted
    this.#questions = questions
    this.#follower = follower
    this.#item.name = vscode.l10n.t('Mutsumi: question')
    this.#item.command = 'mutsumi.showQuestion'
    this.#item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground')
    this.#watch = vscode.Disposable.from(
      this.#item,
      questions.onDidChange(() => this.#showItem()),
      questions.onDidAsk((open) => {
        this.#follower.call(open.session)
        void this.#tell(open)
      }),
      vscode.window.onDidChangeActiveNotebookEditor(() => this.#tellMissed()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tellMissed()),
    )
  }

  dispose(): void {
    clearTimeout(this.#timer)
    this.#watch.dispose()
  }

  #showItem(): void {
    const [first, ...more] = this.#questions.open
    void vscode.commands.executeCommand('setContext', 'mutsumi.waiting', first !== undefined)
    if (!first) return this.#item.hide()
    const count = more.length > 0 ? ` (${more.length + 1})` : ''
    this.#item.text = `$(bell-dot) ${vscode.l10n.t('Waiting for you: {0}', first.shown.name)}${count}`
    this.#item.tooltip = questionLine(first.shown)
    this.#item.show()
  }

  /** A person who has seen a question there may go elsewhere without an answer. */
  #tellMissed(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      // Its diff says all of it.
      const missed = this.#questions.open.filter(({ shown }) => shown.id !== questionInFront())
      for (const open of missed) void this.#tell(open)
    }, settledMs)
  }

  /** A person who looks at the notebook sees the question there. A message could not be removed again. */
  async #tell(open: OpenPermissionQuestion): Promise<void> {
    if (this.#told.has(open) || looksAt(open.session) || !(await this.#isWanted(open.session))) return
    this.#told.add(open)
    const text = noticeText(open)
    const chosen = await vscode.window.showWarningMessage(messageText(text), ...choicesFor(open))
    if (chosen === undefined) return
    if (chosen.answer !== undefined) open.answer(chosen.answer)
    else await showQuestion(open, { questions: this.#questions, follower: this.#follower })
  }
}

/** Names the notebook of the question. */
function noticeText({ shown, session }: OpenPermissionQuestion): string {
  const question = questionLine(shown)
  if (session === undefined)
    return vscode.l10n.t('Mutsumi waits for your permission. {0} ({1})', question, shown.reason)
  const name = basename(vscode.Uri.parse(session).path)
  return vscode.l10n.t('{0} waits for your permission. {1} ({2})', name, question, shown.reason)
}

interface Choice extends vscode.MessageItem {
  /** Undefined: show it. */
  readonly answer?: PermissionAnswer
}

/** A message can only allow what it shows completely. */
function choicesFor({ shown }: OpenPermissionQuestion): readonly Choice[] {
  return [
    { title: vscode.l10n.t('Show') },
    ...(isWholeInLine(shown) ? [{ title: vscode.l10n.t('Allow Once'), answer: 'once' as const }] : []),
    { title: vscode.l10n.t('Refuse'), answer: 'no' },
  ]
}
