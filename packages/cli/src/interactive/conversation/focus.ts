import type { EditorWorld } from '../editor/editor.js'
import type { Input } from '../keys/input.js'
import type { Words } from '../words/words.js'
import type { Approvals } from './approvals.js'
import type { Asked, Asking } from './asking.js'
import type { Display } from './display.js'
import type { OpenQuestion } from './question.js'

export interface FocusOptions {
  readonly words: Words
  readonly display: Display
  readonly approvals: () => Approvals
  readonly asking: () => Asking
}

/**
 * Whether keys belong to the input or to the question above it. Questions come at any moment of typing, so they wait: Tab
 * goes to them, and only from an empty input. Any key that a question does not use goes back to the input.
 */
export class Focus {
  readonly #options: FocusOptions

  constructor(options: FocusOptions) {
    this.#options = options
  }

  /** Shows a question of the gate. A new one waits. */
  readonly showQuestion = (question: OpenQuestion | undefined): void => {
    const { display } = this.#options
    if (!question) display.clear('question')
    if (!question || !display.state.question) display.change({ isAnswering: false })
    if (question) display.change({ question })
  }

  /** Shows a command's question. The user has just called the command, so it is answered at once unless they went on. */
  readonly showAsked = (asked: Asked | undefined): void => {
    const { display } = this.#options
    const { question, editor, asked: before } = display.state
    const isExpected = asked?.kind === 'text' || asked?.isUnexpected !== true
    if (!question && asked === undefined) display.change({ isAnswering: false })
    if (!question && asked && !before) display.change({ isAnswering: isExpected && !editor.search })
    if (asked) display.change({ asked })
    else display.clear('asked')
  }

  /** Applies an input to the question. False if it belongs to the input. */
  press(input: Input, world: EditorWorld): boolean {
    const { approvals, asking, display } = this.#options
    const { question, isAnswering } = display.state
    if (input.kind === 'key' && input.name === 'tab' && this.#switch()) return true
    if (!isAnswering) return this.#refusesEnter(input)
    return question ? approvals().press(input, world) : asking().press(input, world)
  }

  /** Gives the keyboard to the input. */
  leave(): void {
    if (!this.#options.display.state.isAnswering) return
    this.#options.approvals().leave()
    this.#options.display.change({ isAnswering: false })
  }

  /** Goes to the question or back. False if Tab has another meaning now. */
  #switch(): boolean {
    const { approvals, display } = this.#options
    const { question, isAnswering } = display.state
    if (isAnswering) {
      if (!question || question.reason) return false
      this.leave()
      return true
    }
    if (!this.#isWaiting) return false
    if (!question || approvals().isRead()) display.change({ isAnswering: true })
    return true
  }

  /** Enter in an empty input has no effect, which somebody who wants to answer has to know. */
  #refusesEnter(input: Input): boolean {
    const { display, words } = this.#options
    if (input.kind !== 'key' || input.name !== 'enter' || !this.#isWaiting) return false
    display.change({ notice: words.editor.tabFirst })
    return true
  }

  /** A question waits, and nothing is being written. */
  get #isWaiting(): boolean {
    const { question, asked, editor } = this.#options.display.state
    return (question ?? asked) !== undefined && editor.edit.text === '' && !editor.search
  }
}
