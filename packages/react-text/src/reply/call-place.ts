import { isActionHeading, isBlank, type Marker } from './markers.js'

/** How to treat a call on a line of its own without `Action:`. The text before it decides. */
export type CallPlace =
  /** A real call: nothing comes before it except the paragraph of a thought. */
  | 'call'
  /** It follows a thought and other text: either a step in another form, or an answer that shows a call. */
  | 'unclear'
  /** Shown, not meant: words come before it, but no thought. */
  | 'example'

/**
 * Follows a reply line by line.
 *
 *     Thought: The user asks how Write is called.
 *     ← call
 *     You call it like this:
 *     ← unclear
 */
export class PlaceOfCalls {
  #said: 'nothing' | 'thought' | 'more' = 'nothing'
  #isThoughtful = false
  /** The thought is still empty. */
  #isEmpty = false
  #isAfterBlank = false
  /** The next text is an example, or follows one: the last line ends with a colon or was a fence. */
  #isLed = false

  get now(): CallPlace {
    if (this.#said === 'nothing' || (this.#said === 'thought' && !this.#isLed)) return 'call'
    return this.#isThoughtful ? 'unclear' : 'example'
  }

  passLine(line: string, marker: Marker | undefined): void {
    if (isActionHeading(line, 0)) return
    const isBlankLine = isBlank(line)
    if (marker?.kind === 'thought') this.#think(isBlank(line.slice(marker.end - marker.start)))
    else if (!isBlankLine) this.#speak()
    if (!isBlankLine) this.#isLed = marker?.kind !== 'thought' || !this.#isEmpty ? leading.test(line) : false
    this.#isAfterBlank = isBlankLine
  }

  passFence(): void {
    if (this.#said === 'nothing') this.#said = 'more'
    this.#isLed = true
    this.#isAfterBlank = false
  }

  #think(isEmpty: boolean): void {
    this.#said = 'thought'
    this.#isThoughtful = true
    this.#isEmpty = isEmpty
  }

  #speak(): void {
    const isSameParagraph = this.#said === 'thought' && (this.#isEmpty || !this.#isAfterBlank)
    if (!isSameParagraph) this.#said = 'more'
    this.#isEmpty = false
  }
}

const leading = /[:：][\s*_`]*$/
