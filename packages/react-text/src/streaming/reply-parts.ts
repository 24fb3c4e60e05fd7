import { beginsFence, type Marker, markerAt, mayBecomeMarker, nextLine } from '../reply/markers.js'

/** A part of a reply while it streams in. */
export interface ReplyPart {
  readonly text: string
  /**
   * Whether it begins a line. Then it is long enough to show whether the line begins with a marker, a fence or
   * neither.
   */
  readonly opens: boolean
  /** The marker at its beginning, if it begins a line. */
  readonly marker?: Marker | undefined
}

/** Splits a streaming reply into the openings of its lines and the rest of each line. */
export class ReplyParts {
  #opens = true
  /** The beginning of a line, until it is long enough. */
  #held = ''
  #isFence = false;

  *split(piece: string): Generator<ReplyPart> {
    for (let at = 0; at < piece.length; ) {
      const end = nextLine(piece, at)
      const isWhole = piece[end - 1] === '\n'
      const text = this.#held + piece.slice(at, end)
      at = end
      if (this.#opens && !isWhole && this.#isOpen(text)) {
        this.#held = text
        continue
      }
      yield this.#opens ? { text, opens: true, marker: markerAt(text, 0) } : { text, opens: false }
      this.#held = ''
      this.#isFence = false
      this.#opens = isWhole
    }
  }

  /** Whether more of the line may change what it begins with. A fence must be alone in its line. */
  #isOpen(text: string): boolean {
    this.#isFence ||= beginsFence(text.slice(0, 6))
    if (this.#isFence || /^ {0,3}[`~]{0,2}$/.test(text) || mayBecomeMarker(text, 0)) return true
    const marker = markerAt(text, 0)
    return marker !== undefined && /^(?:<[/a-z]{0,8})?$/i.test(text.slice(marker.end, marker.end + 12))
  }
}
