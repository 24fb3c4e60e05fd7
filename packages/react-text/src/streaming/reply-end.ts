import { beginsFence, closesFence, fenceAt, markerAt } from '../reply/markers.js'
import { parseReply } from '../reply/parse-reply.js'
import type { LinePart } from './line-openings.js'

/**
 * Tells of a reply that comes in when nothing of it is to be waited for: its action is complete, and it goes on with a
 * result that it makes up. Providers could be given stop strings for that, but those cut an answer or a file that holds
 * such a line as well, and nobody is told.
 */
export class ReplyEnd {
  #text = ''
  /** The marks of the fence that is open. What stands in it may be an example, which only its end can tell. */
  #fence = ''
  /** So much was looked at. Only twice as much is looked at again, or a long file of such lines would take for ever. */
  #looked = 0
  /** Whether fences cannot be told apart any more. */
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
    // A bracket that still comes may close an answer that only looks closed.
    this.isOver = end !== undefined && end === endOf(`${this.#text}Observation:\n]`)
  }
}

/** Offset behind the action or the answer of a reply. */
function endOf(text: string): number | undefined {
  const parsed = parseReply(text)
  return 'end' in parsed ? parsed.end : undefined
}
