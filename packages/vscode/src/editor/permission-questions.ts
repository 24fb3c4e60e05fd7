import { randomUUID } from 'node:crypto'
import type { Toolbox } from '@mutsumi/host'
import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { questionTarget } from '../notebook/question-target.js'
import type { ToolQuestion } from '../notebook/round-output.js'
import { notebookType } from './notebook-files.js'

/** Shows a question in the card of its call, or removes it. False: this round has no such card. */
export type ShowQuestion = (
  asked: { readonly call: string; readonly question: ToolQuestion } | { readonly answered: string },
) => boolean

/** The questions of a round that runs. */
export interface RoundQuestions extends vscode.Disposable {
  /** The round is stopped: nothing that it asked for is allowed. */
  refuse(): void
}

export interface OpenPermissionQuestion {
  readonly question: PermissionQuestion
  readonly shown: ToolQuestion
  /** The workspace that its paths are relative to. */
  readonly root: string
  /** Shows it in a card. */
  readonly owner?: ShowQuestion
  answer(answer: PermissionAnswer): void
}

/** Asks the user the gate's questions: in the card of the call, or as a message. */
export class PermissionQuestions {
  readonly #open = new Map<string, OpenPermissionQuestion>()
  readonly #shows = new Set<ShowQuestion>()
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChange = this.#changed.event

  get open(): readonly OpenPermissionQuestion[] {
    return [...this.#open.values()]
  }

  /** Shows questions while a round runs. */
  during(show: ShowQuestion): RoundQuestions {
    this.#shows.add(show)
    return { dispose: () => this.#shows.delete(show), refuse: () => this.#refuse(show) }
  }

  find(id: string): OpenPermissionQuestion | undefined {
    return this.#open.get(id)
  }

  answer(id: string, answer: PermissionAnswer): void {
    this.#open.get(id)?.answer(answer)
  }

  async ask(question: PermissionQuestion, toolbox: Toolbox): Promise<PermissionAnswer> {
    const call = callId(question)
    const { previewChange } = await import('../agent/previewed-change.js')
    const preview = await previewChange(question, toolbox)
    const {
      reason,
      lasting: [lasting = []],
    } = question
    const id = randomUUID()
    const shown = {
      ...{ id, name: question.call.name, target: questionTarget(question), reason },
      lasting: [...lasting],
      ...(preview?.kind === 'diff' && { preview: preview.diff }),
    }
    const answer = await new Promise<PermissionAnswer>((resolve) => {
      // The call of a sub-agent, or of a prompt, has no card.
      const owner = [...this.#shows].find((show) => show({ call, question: shown }))
      const { root } = toolbox.workspace
      this.#open.set(id, { question, shown, root, answer: resolve, ...(owner && { owner }) })
      this.#changed.fire()
      if (!owner || !isSeen()) void this.#message(question, shown)
    })
    this.#open.delete(id)
    for (const show of this.#shows) show({ answered: id })
    this.#changed.fire()
    return answer
  }

  #refuse(show: ShowQuestion): void {
    for (const { owner, answer } of this.open) if (owner === undefined || owner === show) answer('no')
  }

  async #message(question: PermissionQuestion, { id, name, target, reason }: ToolQuestion): Promise<void> {
    const choices: { readonly title: string; readonly answer: PermissionAnswer }[] = [
      { title: vscode.l10n.t('Allow Once'), answer: 'once' },
      ...(question.lasting.length > 0
        ? [{ title: vscode.l10n.t('Allow for This Session'), answer: 'session' as const }]
        : []),
      { title: vscode.l10n.t('Refuse'), answer: 'no' },
    ]
    const text = vscode.l10n.t('{0} asks for your permission: {1}', name, `${target} (${reason})`)
    const chosen = await vscode.window.showInformationMessage(messageText(text), ...choices)
    if (chosen) this.answer(id, chosen.answer)
  }
}

/** Calls of the loop have ids; calls in a prompt have none. */
function callId({ call }: PermissionQuestion): string {
  return 'id' in call && typeof call.id === 'string' ? call.id : call.name
}

/** If a notebook is visible, the user sees the question in its card. A message could not be removed again. */
function isSeen(): boolean {
  return vscode.window.visibleNotebookEditors.some(({ notebook }) => notebook.notebookType === notebookType)
}
