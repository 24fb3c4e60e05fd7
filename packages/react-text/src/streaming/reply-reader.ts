import type { Marker } from '../reply/markers.js'
import { readToEnd } from '../reply/parse-reply.js'
import type { ParsedReply } from '../reply/parsed-reply.js'
import { ReplyLines } from '../reply/reply-lines.js'
import { TaggedThinking } from '../reply/thinking.js'
import { ReplyEnd } from './reply-end.js'
import { type ReplyPart, ReplyParts } from './reply-parts.js'
import { type Visible, VisibleText } from './visible-text.js'

/**
 * Reads one reply while it streams in. It returns the text that may be shown, and at the end the meaning of the reply.
 * Each line of a thought is read as it arrives, an action when it is complete. Time is linear, however small the pieces
 * are.
 */
export class ReplyReader {
  #text = ''
  readonly #thinking = new TaggedThinking()
  readonly #parts = new ReplyParts()
  /** Offset of the next part. */
  #at = 0
  #lines: ReplyLines | undefined
  /** The line that is arriving; undefined from the first possible action on. */
  #line: { text: string; readonly marker: Marker | undefined } | undefined = { text: '', marker: undefined }
  readonly #visible = new VisibleText()
  readonly #end = new ReplyEnd()
  #parsed: ParsedReply | undefined

  /**
   * Returns the text that may be shown now and was not shown before. Text that is not certain yet waits for the next
   * piece.
   */
  add(piece: string): Visible {
    this.#text += piece
    const shown = { thought: '', answer: '' }
    for (const part of this.#parts.split(this.#withoutThinking(piece))) {
      this.#end.pass(part, this.#at, this.#text)
      this.#at += part.text.length
      this.#follow(part)
      const { thought, answer } = this.#visible.take(part)
      shown.thought += thought
      shown.answer += answer
    }
    return shown
  }

  /** The reply so far. */
  get text(): string {
    return this.#text
  }

  /** Whether the rest of the reply is made up, so that there is no need to wait for it. */
  get isOver(): boolean {
    return this.#end.parsed !== undefined
  }

  /** The meaning of the reply. A lone `</think>` may still turn text that was shown into thoughts. */
  end(): ParsedReply {
    this.#parsed ??= this.#end.parsed ?? readToEnd(this.#text, this.#thinking, this.#lines)
    return this.#parsed
  }

  #withoutThinking(piece: string): string {
    const left = this.#thinking.pass(piece)
    if (left === '' || this.#lines) return left
    this.#at = this.#text.length - left.length
    this.#lines = new ReplyLines(this.#at)
    return left
  }

  #follow({ text, opens, marker }: ReplyPart): void {
    if (!this.#line) return
    if (opens) this.#line = { text, marker }
    else this.#line.text += text
    if (text.endsWith('\n') && !this.#lines?.follow(this.#line.text, this.#line.marker))
      this.#line = undefined
  }
}
