import { pairs } from '../reply/finish-answer.js'
import { beginsFence, closesFence, fenceAt, isActionHeading } from '../reply/markers.js'
import { GrowingText } from './growing-text.js'
import type { ReplyPart } from './reply-parts.js'

/** The certain part of a streaming answer: up to anything that may close it or begin something else. */
export class CertainAnswer {
  readonly #shown = new GrowingText(/[\s*_`.。\])）］】]/)
  readonly #open: string
  readonly #close: string
  #depth = 0
  /** Unclosed code between backticks, with its first mark. */
  #code: string | undefined
  /** An unclosed fence, and the part of it that is held back. */
  #fence: { readonly marks: string; held: string } | undefined
  #begun = false
  #isOver = false

  /** `open` is its bracket; an answer without a bracket ends with the reply. */
  constructor(open?: string) {
    const [opening = '', closing = ''] = pairs.find((pair) => pair[0] === open) ?? ''
    this.#open = opening
    this.#close = closing
  }

  take(part: ReplyPart): { readonly answer: string; readonly next?: undefined } {
    this.#isOver = this.#beginsOther(part)
    const answer = this.#isOver ? '' : this.#shown.add(this.#certain(part))
    return this.#isOver ? { answer, next: undefined } : { answer }
  }

  /** A line that begins something else ends the answer. An answer in JSON is shown once it can be parsed. */
  #beginsOther({ text, opens, marker }: ReplyPart): boolean {
    const isFirst = !this.#begun && text.trim() !== ''
    this.#begun ||= isFirst
    if (marker || (opens && isActionHeading(text, 0))) return true
    return isFirst && /^\s*["{:：]/.test(text)
  }

  #certain({ text, opens }: ReplyPart): string {
    if (this.#close === '') return text
    if (this.#fence && opens && closesFence(text, 0, this.#fence.marks)) {
      const { held } = this.#fence
      this.#fence = undefined
      return held + text
    }
    if (!this.#fence && opens && beginsFence(text)) {
      this.#fence = { marks: fenceAt(text, 0), held: '' }
      // These marks do not open a fence after all.
      this.#isOver = this.#fence.marks === ''
    }
    return this.#fence ? this.#fenced(this.#fence, text) : this.#inLine(text)
  }

  /** If the fence is never closed, the first bracket in it may close the answer. */
  #fenced(fence: { held: string }, text: string): string {
    const bracket = fence.held === '' ? text.indexOf(this.#close) : 0
    if (bracket === -1) return text
    fence.held += text.slice(bracket)
    return text.slice(0, bracket)
  }

  /** Brackets in code do not count. A backtick without a closing one in its line does not begin code. */
  #inLine(line: string): string {
    let certain = ''
    for (let left = line; left !== '' && !this.#isOver; ) {
      const end = left.search(this.#code === undefined ? /`/ : /[`\n]/)
      if (end === -1) return certain + this.#hold(left)
      const isMark = left[end] === '`'
      if (this.#code === undefined) certain += this.#counted(left.slice(0, end))
      else
        certain += isMark
          ? this.#code + left.slice(0, end + 1)
          : this.#counted(this.#code + left.slice(0, end + 1))
      this.#code = this.#code === undefined ? '`' : undefined
      left = left.slice(end + 1)
    }
    return certain
  }

  #hold(text: string): string {
    if (this.#code === undefined) return this.#counted(text)
    this.#code += text
    return ''
  }

  /** Up to the first closing bracket without an opening one in the answer. */
  #counted(text: string): string {
    for (let at = 0; at < text.length; at++) {
      if (text[at] === this.#open) this.#depth++
      else if (text[at] === this.#close && --this.#depth < 0) {
        this.#isOver = true
        return text.slice(0, at)
      }
    }
    return text
  }
}
