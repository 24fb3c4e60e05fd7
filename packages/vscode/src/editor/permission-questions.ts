import { randomUUID } from 'node:crypto'
import type { Toolbox } from '@mutsumi/host'
import { safeLine, safeText } from '@mutsumi/schema'
import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import * as vscode from 'vscode'
import { questionTarget } from '../notebook/question-target.js'
import type { ToolQuestion } from '../notebook/round-output.js'

/** Shows a question in a running round, or removes it. */
export type ShowQuestion = (
  asked:
    | { readonly call: string; readonly question: ToolQuestion; readonly agent?: string }
    | { readonly answered: string },
) => void

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

/** The gate's questions that wait for the user. Their rounds show them; commands and views answer them too. */
export class PermissionQuestions {
  readonly #open = new Map<string, OpenPermissionQuestion>()
  /** By notebook. */
  readonly #shows = new Map<string, ShowQuestion>()
  /** Notebooks whose round is stopped and not over yet. Sub-agents may still ask. */
  readonly #stopped = new Set<string>()
  /** Questions whose buttons are in view. */
  readonly #inView = new Set<string>()
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #asked = new vscode.EventEmitter<OpenPermissionQuestion>()
  readonly onDidChange = this.#changed.event
  readonly onDidAsk = this.#asked.event

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

  /** The buttons of a question came into view, or left it. */
  seen(id: string, isSeen: boolean): void {
    if (isSeen) this.#inView.add(id)
    else this.#inView.delete(id)
  }

  isInView(id: string): boolean {
    return this.#inView.has(id)
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
      agent,
    } = question
    if (session !== undefined && this.#stopped.has(session)) return 'no'
    const id = randomUUID()
    const shown = {
      ...{
        id,
        name: question.call.name,
        target: questionTarget(question),
        reason: reasonWith(reason, agent),
      },
      lasting: [...lasting],
      ...(preview?.kind === 'diff' && { preview: preview.diff }),
    }
    const answer = await new Promise<PermissionAnswer>((resolve) => {
      const { root } = toolbox.workspace
      const open = { question, shown, root, session, answer: resolve }
      this.#open.set(id, open)
      this.#showOf(session)?.({ call, question: shown, ...(agent !== undefined && { agent }) })
      this.#changed.fire()
      this.#asked.fire(open)
    })
    this.#open.delete(id)
    this.#inView.delete(id)
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
