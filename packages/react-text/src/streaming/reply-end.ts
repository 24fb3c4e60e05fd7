import { beginsFence, closesFence, fenceAt } from '../reply/markers.js'
import { parseReply } from '../reply/parse-reply.js'
import type { ParsedReply } from '../reply/parsed-reply.js'
import type { ReplyPart } from './reply-parts.js'

/**
 * Says when the rest of a streaming reply need not be awaited: its action is complete, and a made-up result follows.
 * Stop strings would do the same, but they would also silently cut an answer or a file that contains such a line.
 */
export class ReplyEnd {
  /** The marks of the open fence. Its content may be an example; only its end can tell. */
  #fence = ''
  /**
   * How much was examined. The text is examined again only at twice that length, so that a long file of such lines
   * takes linear time.
   */
  #looked = 0
  /** Whether it is no longer clear which fences are open. */
  #isUnclear = false
  /** The meaning of the reply, as soon as the rest can only be made up. */
  parsed: ParsedReply | undefined

  /** `at` is the offset of the part; `reply` contains at least the text before it. */
  pass({ text, opens, marker }: ReplyPart, at: number, reply: string): void {
    if (!opens || this.#isUnclear || this.parsed) return
    if (this.#fence !== '') {
      if (closesFence(text, 0, this.#fence)) this.#fence = ''
      return
    }
    this.#fence = fenceAt(text, 0)
    if (this.#fence !== '') return
    this.#isUnclear = beginsFence(text)
    if (marker?.kind === 'observation' && at >= 2 * this.#looked) this.#look(reply.slice(0, at))
  }

  #look(text: string): void {
    this.#looked = text.length
    const parsed = parseReply(text)
    // A later bracket may close an answer that only looks closed.
    if ('end' in parsed && parsed.end === endOf(`${text}Observation:\n]`)) this.parsed = parsed
  }
}

/** Offset after the action or the answer of a reply. */
function endOf(text: string): number | undefined {
  const parsed = parseReply(text)
  return 'end' in parsed ? parsed.end : undefined
}
