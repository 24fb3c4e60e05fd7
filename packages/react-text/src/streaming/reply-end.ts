import { beginsFence, closesFence, fenceAt, markerAt } from '../reply/markers.js'
import { parseReply } from '../reply/parse-reply.js'
import type { LinePart } from './line-openings.js'

/**
 * Says when the rest of a streaming reply need not be awaited: its action is complete, and a made-up result follows.
 * Stop strings would do the same, but they would also silently cut an answer or a file that contains such a line.
 */
export class ReplyEnd {
  #text = ''
  /** The marks of the open fence. Its content may be an example; only its end can tell. */
  #fence = ''
  /**
   * How much was examined. The text is examined again only at twice that length, so that a long file of such lines
   * takes linear time.
   */
  #looked = 0
  /** Whether it is no longer clear which fences are open. */
  #isUnclear = false
  isOver = false

  pass(part: LinePart): void {
    if (this.isOver || this.#isUnclear) return
    if (part.opens) this.#open(part.text)
    this.#text += part.text
  }

  #open(line: string): void {
    if (this.#fence !== '') {
      if (closesFence(line, 0, this.#fence)) this.#fence = ''
      return
    }
    this.#fence = fenceAt(line, 0)
    this.#isUnclear = this.#fence === '' && beginsFence(line)
    if (
      this.#fence === '' &&
      this.#text.length >= 2 * this.#looked &&
      markerAt(line, 0)?.kind === 'observation'
    )
      this.#look()
  }

  #look(): void {
    this.#looked = this.#text.length
    const end = endOf(this.#text)
    // A later bracket may close an answer that only looks closed.
    this.isOver = end !== undefined && end === endOf(`${this.#text}Observation:\n]`)
  }
}

/** Offset after the action or the answer of a reply. */
function endOf(text: string): number | undefined {
  const parsed = parseReply(text)
  return 'end' in parsed ? parsed.end : undefined
}
