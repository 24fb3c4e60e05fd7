import { safeLine } from '@mutsumi/schema'
import * as vscode from 'vscode'
import type { TrustQuestion, TrustState } from '../agent/folder-trust.js'
import { messageText } from '../language/plain-text.js'
import { isLocal, rootOf } from './places.js'

/** Why a person is asked: a notebook was opened, a round needs the answer, or they want to decide again. */
export type TrustOccasion = 'opened' | 'round' | 'command'

const scheme = 'mutsumi-trust'
/** A message shows about so much. A longer list is shown as a document before it can be trusted. */
const longestShown = 500

/**
 * Asks whether the settings, servers and skills of a folder may take effect. The answer is written to the list of the
 * terminal. "Not Now" holds in this window until one of them changes.
 */
export class TrustQuestions implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #log: vscode.LogOutputChannel
  readonly #trusted = new vscode.EventEmitter<void>()
  readonly #registered: vscode.Disposable
  /** By folder. */
  readonly #asking = new Map<string, OpenTrustQuestion>()
  /** By folder, the key of the parts that are not to take effect now. */
  readonly #notNow = new Map<string, string>()
  /** Keys whose absence from a round was reported. */
  readonly #reported = new Set<string>()
  readonly #texts = new Map<string, string>()
  /** Fires when the user has trusted a folder. */
  readonly onDidTrust = this.#trusted.event

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log
    this.#registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this)
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? ''
  }

  /** Asks if something of the document's folder waits for an answer. Ends with the answer. */
  async ask(uri: vscode.Uri, occasion: TrustOccasion): Promise<void> {
    const state = await this.#stateOf(uri)
    if (state.kind === 'fault') return this.#report(state.message)
    if (state.kind === 'settled') {
      if (occasion === 'command')
        void vscode.window.showInformationMessage(
          messageText(vscode.l10n.t('Nothing in this folder waits for your trust.')),
        )
      return
    }
    const { question } = state
    if (occasion !== 'command' && (question.isRefused || this.#notNow.get(question.root) === question.key))
      return
    const open = this.#asking.get(question.root)
    if (open?.question.key === question.key) {
      // The same message again replaces the first, which may be hidden by now.
      open.show()
      return open.over
    }
    // The folder changed, so an answer to the older question would not count.
    open?.end()
    const made = this.#open(question)
    this.#asking.set(question.root, made)
    return made.over
  }

  /** The names of what a round goes without, because the user has not trusted it. Told once for each state of the folder. */
  async missing(uri: vscode.Uri): Promise<readonly string[]> {
    const state = await this.#stateOf(uri)
    if (state.kind !== 'question' || this.#reported.has(state.question.key)) return []
    this.#reported.add(state.question.key)
    return state.question.allowances.map(({ name }) => name)
  }

  /** Whether a round has to wait for an answer first. */
  async isOpen(uri: vscode.Uri): Promise<boolean> {
    const state = await this.#stateOf(uri)
    if (state.kind !== 'question' || state.question.isRefused) return false
    return this.#notNow.get(state.question.root) !== state.question.key
  }

  dispose(): void {
    this.#registered.dispose()
    this.#trusted.dispose()
  }

  async #stateOf(uri: vscode.Uri): Promise<TrustState> {
    // Nothing runs for files that are not on this machine.
    if (!isLocal(uri)) return { kind: 'settled' }
    const { trustState } = await import('../agent/folder-trust.js')
    return trustState({ root: rootOf(uri), trusted: vscode.workspace.isTrusted })
  }

  #open(question: TrustQuestion): OpenTrustQuestion {
    let end: () => void = () => undefined
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    let shown = 0
    let isRead = !isLong(question)
    const show = () => {
      const number = ++shown
      void this.#show(question, isRead).then((choice) => {
        // A message that a newer one replaced has no answer.
        if (choice === undefined && number !== shown) return
        if (choice !== 'show') return this.#decide(question, choice === 'yes').finally(end)
        isRead = true
        show()
      }, end)
    }
    show()
    return { question, show, end, over }
  }

  /** Nobody trusts what they could not read: a long list is offered to be read first. */
  async #show(question: TrustQuestion, isRead: boolean): Promise<TrustChoice['choice'] | undefined> {
    const answers: readonly TrustChoice[] = [
      isRead
        ? { title: vscode.l10n.t('Trust These'), choice: 'yes' }
        : { title: vscode.l10n.t('Show All'), choice: 'show' },
      { title: vscode.l10n.t('Not Now'), choice: 'no' },
    ]
    if (isRead && isLong(question)) await this.#showAll(question)
    const text = isLong(question) ? countText(question) : textOf(question)
    return (await vscode.window.showWarningMessage(messageText(text), ...answers))?.choice
  }

  async #showAll({ root, lines }: TrustQuestion): Promise<void> {
    const path = `/${vscode.l10n.t('Not trusted yet')}.txt`
    this.#texts.set(path, `${safeLine(root)}\n\n${lines.join('\n')}\n`)
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path }))
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside })
  }

  async #decide(question: TrustQuestion, isTrusted: boolean): Promise<void> {
    if (this.#asking.get(question.root)?.question.key === question.key) this.#asking.delete(question.root)
    if (!isTrusted) {
      this.#notNow.set(question.root, question.key)
      return
    }
    const { trustAnswer } = await import('../agent/folder-trust.js')
    const saving = await trustAnswer(question)
    if (saving.kind === 'fault') return this.#report(saving.message)
    this.#notNow.delete(question.root)
    this.#trusted.fire()
  }

  #report(message: string): void {
    if (this.#reported.has(message)) return
    this.#reported.add(message)
    this.#log.error(message)
    void vscode.window.showErrorMessage(messageText(message))
  }
}

interface TrustChoice extends vscode.MessageItem {
  readonly choice: 'yes' | 'no' | 'show'
}

interface OpenTrustQuestion {
  readonly question: TrustQuestion
  /** Shows it again. */
  readonly show: () => void
  /** Nobody waits for the answer any more. */
  readonly end: () => void
  /** Resolves after the answer. */
  readonly over: Promise<void>
}

function isLong(question: TrustQuestion): boolean {
  return textOf(question).length > longestShown
}

function textOf(question: TrustQuestion): string {
  return `${aboutText(question)} ${question.lines.join('; ')}`
}

function countText(question: TrustQuestion): string {
  const { length } = question.lines
  return `${aboutText(question)} ${vscode.l10n.t('{0} lines: read all of them before you trust them.', length)}`
}

function aboutText({ root, isChange }: TrustQuestion): string {
  const folder = safeLine(root)
  return isChange
    ? vscode.l10n.t(
        'Mutsumi: {0} changed since you trusted it. If you trust it again, these take effect (servers are programs that run with your rights):',
        folder,
      )
    : vscode.l10n.t(
        'Mutsumi: {0} brings settings, servers or skills. If you trust them, these take effect (servers are programs that run with your rights):',
        folder,
      )
}

/** The line of a round that goes without something. */
export function missingText(names: readonly string[]): string {
  const shown = names.slice(0, 20).join(', ')
  return vscode.l10n.t(
    'Not in effect, because you have not trusted it: {0}. The command "Mutsumi: Trust This Folder" asks you again.',
    names.length > 20 ? `${shown}, …` : shown,
  )
}
