import { randomUUID } from 'node:crypto'
import type { Toolbox } from '@mutsumi/host'
import { safeLine, safeText } from '@mutsumi/schema'
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
  /** The round is stopped: nothing that it asked for, or asks for until its end, is allowed. */
  refuse(): void
}

export interface OpenPermissionQuestion {
  readonly question: PermissionQuestion
  readonly shown: ToolQuestion
  /** The workspace that its paths are relative to. */
  readonly root: string
  /** The notebook whose round, or a sub-agent of it, asks. */
  readonly session?: string | undefined
  answer(answer: PermissionAnswer): void
}

/** Asks the user the gate's questions: in the card of the call, or as a message. */
export class PermissionQuestions {
  readonly #open = new Map<string, OpenPermissionQuestion>()
  /** By notebook. */
  readonly #shows = new Map<string, ShowQuestion>()
  /** Notebooks whose round is stopped and not over yet. Sub-agents may still ask. */
  readonly #stopped = new Set<string>()
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChange = this.#changed.event

  get open(): readonly OpenPermissionQuestion[] {
    return [...this.#open.values()]
  }

  /** Shows the questions of a notebook while its round runs. */
  during({ uri }: Pick<vscode.NotebookDocument, 'uri'>, show: ShowQuestion): RoundQuestions {
    const session = uri.toString()
    this.#shows.set(session, show)
    const dispose = () => {
      this.#shows.delete(session)
      this.#stopped.delete(session)
    }
    return { dispose, refuse: () => this.#refuse(session) }
  }

  find(id: string): OpenPermissionQuestion | undefined {
    return this.#open.get(id)
  }

  answer(id: string, answer: PermissionAnswer): void {
    this.#open.get(id)?.answer(answer)
  }

  async ask(
    question: PermissionQuestion,
    { toolbox, session }: { readonly toolbox: Toolbox; readonly session?: string | undefined },
  ): Promise<PermissionAnswer> {
    const call = callId(question)
    const { previewChange } = await import('../agent/previewed-change.js')
    const preview = await previewChange(question, toolbox)
    const {
      reason,
      lasting: [lasting = []],
    } = question
    if (session !== undefined && this.#stopped.has(session)) return 'no'
    const id = randomUUID()
    const shown = {
      ...{
        id,
        name: question.call.name,
        target: questionTarget(question),
        reason: reasonWith(reason, question.agent),
      },
      lasting: [...lasting],
      ...(preview?.kind === 'diff' && { preview: preview.diff }),
    }
    const answer = await new Promise<PermissionAnswer>((resolve) => {
      // The call of a sub-agent, or of a prompt, has no card.
      const hasCard = this.#showOf(session)?.({ call, question: shown }) === true
      const { root } = toolbox.workspace
      this.#open.set(id, { question, shown, root, session, answer: resolve })
      this.#changed.fire()
      if (!hasCard || !isSeen()) void this.#message(question, shown)
    })
    this.#open.delete(id)
    this.#showOf(session)?.({ answered: id })
    this.#changed.fire()
    return answer
  }

  #showOf(session: string | undefined): ShowQuestion | undefined {
    return session === undefined ? undefined : this.#shows.get(session)
  }

  #refuse(stopped: string): void {
    this.#stopped.add(stopped)
    for (const { session, answer } of this.open) if (session === stopped) answer('no')
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

/** The reason of a question, after the name of the sub-agent that asks. */
function reasonWith(reason: string, agent: string | undefined): string {
  const who = agent === undefined ? '' : vscode.l10n.t('The sub-agent for "{0}" asks.', safeLine(agent))
  return [who, safeText(reason)].filter((text) => text !== '').join(' ')
}

/** Calls of the loop have ids; calls in a prompt have none. */
function callId({ call }: PermissionQuestion): string {
  return 'id' in call && typeof call.id === 'string' ? call.id : call.name
}

/** If a notebook is visible, the user sees the question in its card. A message could not be removed again. */
function isSeen(): boolean {
  return vscode.window.visibleNotebookEditors.some(({ notebook }) => notebook.notebookType === notebookType)
}
