import type { PermissionAnswer } from '@mutsumi/tools'
import * as vscode from 'vscode'
import { questionLine } from '../notebook/question-notice.js'
import { questionInFront, showChange } from './change-diff.js'
import type { OpenPermissionQuestion } from './permission-questions.js'
import { activeNotebook } from './previews.js'
import { type QuestionPlace, showQuestion } from './show-question.js'

/** Commands that answer questions: of a view's line, of the diff in front, or by a key or the palette. */
export function registerQuestionCommands(place: QuestionPlace): vscode.Disposable {
  const answering = (name: string, answer: (open: OpenPermissionQuestion) => unknown) =>
    vscode.commands.registerCommand(`mutsumi.${name}`, (line?: unknown) => {
      const open = inView(line, place) ?? shownFirst(place)
      return open && answer(open)
    })
  const answerWith = (name: string, given: PermissionAnswer) => answering(name, ({ answer }) => answer(given))
  return vscode.Disposable.from(
    // The last two are the buttons of the diff editor, which shows the keys of a command beside its name.
    ...[answerWith('allowOnce', 'once'), answerWith('allowForSession', 'session')],
    ...[answerWith('allowAlways', 'always'), answerWith('refuse', 'no')],
    ...[answerWith('allowChange', 'once'), answerWith('refuseChange', 'no')],
    answering('refuseWithReason', refuseWithReason),
    vscode.commands.registerCommand('mutsumi.showChange', (line: OpenPermissionQuestion) => showChange(line)),
    vscode.commands.registerCommand('mutsumi.showQuestion', () => {
      const open = nextQuestion(place)
      if (open) return showQuestion(open, place)
      void vscode.window.showInformationMessage(vscode.l10n.t('Nothing waits for your permission.'))
      return undefined
    }),
  )
}

/** Refuses, and tells the model why. An empty reason is a plain no; Escape keeps the question open. */
export async function refuseWithReason({ shown, answer }: OpenPermissionQuestion): Promise<void> {
  const reason = await vscode.window.showInputBox({
    title: vscode.l10n.t('Refuse: {0}', questionLine(shown)),
    prompt: vscode.l10n.t('The model reads your reason.'),
    ignoreFocusOut: true,
  })
  if (reason !== undefined) answer(reason.trim() === '' ? 'no' : { no: reason.trim() })
}

/** The question that a person sees: the line of a view, the diff in front, or the card whose buttons are in view. */
function inView(line: unknown, { questions }: QuestionPlace): OpenPermissionQuestion | undefined {
  const id = idOf(line) ?? questionInFront()
  if (id !== undefined) return questions.find(id)
  const next = nextQuestion({ questions })
  return next && questions.isInView(next.shown.id) ? next : undefined
}

/** A question that is not in view is shown, and not answered. */
function shownFirst(place: QuestionPlace): undefined {
  const next = nextQuestion(place)
  if (next) void showQuestion(next, place)
}

/** The first question of the active notebook, else of any. */
function nextQuestion({ questions }: Pick<QuestionPlace, 'questions'>): OpenPermissionQuestion | undefined {
  const active = activeNotebook()?.notebook.uri.toString()
  return questions.open.find(({ session }) => session === active) ?? questions.open[0]
}

function idOf(line: unknown): string | undefined {
  const { shown } = (line ?? {}) as Partial<OpenPermissionQuestion>
  return shown?.id
}
