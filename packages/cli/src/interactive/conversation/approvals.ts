import type { AskPermission, PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import { sayRefusal } from '../../words/say.js'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import type { EditorWorld } from '../editor/editor.js'
import type { Input } from '../keys/input.js'
import { type Line, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import type { Folded } from './folds.js'
import { type Answering, type OpenQuestion, openQuestion, pressQuestion, unconfirmed } from './question.js'
import { questionLines, undoLimitLines } from './question-lines.js'

export interface ApprovalsOptions {
  readonly words: Words
  readonly agent: () => Promise<ConversationAgent>
  /** Whether the round that asks was cancelled in the meantime. */
  readonly isOver: () => boolean
  /** Whether the terminal has shown everything that was printed. A long explanation takes a moment. */
  readonly isShown: () => boolean
  readonly width: () => number
  readonly print: (lines: readonly Line[]) => void
  /** Receives everything that a question is about, so that the user can read all of it before they answer. */
  readonly fold?: (folded: Folded) => void
  /** Shows a question in the live region; undefined removes it. */
  readonly show: (question: OpenQuestion | undefined) => void
}

/** Keys pressed sooner after a question, or after such a key, were meant for something else. */
const unreadMs = 400

/** Asks the user the gate's questions, one at a time. */
export class Approvals {
  readonly #options: ApprovalsOptions
  readonly #asked = new Set<string>()
  #question: OpenQuestion | undefined
  #answer: ((answer: PermissionAnswer) => void) | undefined
  #unreadAt = Number.NEGATIVE_INFINITY
  #askedAt = 0
  #answeringMs = 0

  constructor(options: ApprovalsOptions) {
    this.#options = options
  }

  /** The total time that the user took to answer. */
  get answeringMs(): number {
    return this.#answeringMs + (this.#answer ? performance.now() - this.#askedAt : 0)
  }

  /** Whether the user can have read the question. Until they can, it does not take the keyboard. */
  isRead(): boolean {
    const now = performance.now()
    const isRead = this.#options.isShown() && now - this.#unreadAt > unreadMs
    if (!isRead) this.#unreadAt = now
    return isRead
  }

  readonly wasAsked = (call: string): boolean => this.#asked.has(call)

  readonly ask: AskPermission = async (question, settled) => {
    // Questions wait in the gate for their turn. After a cancel, those that still wait are refused without being shown.
    if (this.#options.isOver()) return 'no'
    settled.addEventListener('abort', () => void this.#settledByMode().catch(ignored))
    await this.#explain(question)
    if (this.#options.isOver() || settled.aborted) return 'no'
    this.#show(openQuestion(question))
    this.#askedAt = performance.now()
    this.#unreadAt = this.#askedAt
    return new Promise<PermissionAnswer>((resolve) => {
      this.#answer = resolve
    })
  }

  /** Applies an input to the open question. False if the question does not use it. */
  press(input: Input, world: EditorWorld): boolean {
    const question = this.#question
    // A key that is held down does not confirm.
    if (!question || (question.isConfirming && !this.isRead())) return question !== undefined
    const answering = pressQuestion(question, input, world)
    if (answering.kind === 'passed') return false
    if (answering.kind === 'open') this.#go(answering.question)
    else this.#end(question, answering)
    return true
  }

  /** The user does something else for now. */
  leave(): void {
    if (this.#question?.isConfirming) this.#show(unconfirmed(this.#question))
  }

  /** The round is cancelled, so the open question is answered with no. */
  refuse(): void {
    this.#close('no')
  }

  /** Says how a mode that the user has just chosen answers the question. The next question may be open right after it. */
  async #settledByMode(): Promise<void> {
    this.#close('no')
    const { words, agent, width, print } = this.#options
    const { mode } = await agent()
    print(wrap([span(`→ ${words.approval.settled[mode]}`, { dim: true })], width()))
  }

  #close(answer: PermissionAnswer): void {
    const close = this.#answer
    if (!close) return
    this.#answeringMs = this.answeringMs
    this.#answer = undefined
    this.#show(undefined)
    close(answer)
  }

  #go(question: OpenQuestion): void {
    if (question.isConfirming) this.#unreadAt = performance.now()
    this.#show(question)
  }

  #end(question: OpenQuestion, { answer, choice }: Extract<Answering, { kind: 'answered' }>): void {
    const { words, width, print } = this.#options
    // The reason of a no is in the line of its call.
    const rules = typeof answer === 'object' && 'yes' in answer ? question.offers[question.offer] : undefined
    const more = rules === undefined ? '' : words.marks.because(rules)
    print(wrap([span(`→ ${words.approval.answered[choice]}${more}`, { dim: true })], width()))
    this.#close(answer)
  }

  #show(question: OpenQuestion | undefined): void {
    this.#question = question
    this.#options.show(question)
  }

  /** Prints the details of a question before it is asked. */
  async #explain(question: PermissionQuestion): Promise<void> {
    const { words, print, fold } = this.#options
    const agent = await this.#options.agent()
    const [preview, limit] = await Promise.all([agent.previewOf(question), agent.undoLimitOf(question)])
    const { questionDetails, moreDetails } = await import('./question-details.js')
    if ('id' in question.call && typeof question.call.id === 'string') this.#asked.add(question.call.id)
    const width = this.#options.width()
    const asked = questionLines(question, { root: agent.root, width, words })
    const details = questionDetails(question, preview)
    fold?.({ title: '', lines: () => [...asked, ...details.all()] })
    print([
      [],
      ...asked,
      ...details.lines,
      ...moreDetails(details, words.work.moreLines),
      ...(preview?.kind === 'none'
        ? wrap([span(words.approval.noPreview(visibleLine(sayRefusal(preview.reason))))], width)
        : []),
      ...(limit ? undoLimitLines(limit, { width, words }) : []),
    ])
  }
}

/** The agent that asked has ended. */
const ignored = () => undefined
