import { isActionHeading, isBlank, type Marker } from './markers.js'

/** What a call is that stands without `Action:` in a line of its own, by what stands before it. */
export type CallPlace =
  /** Meant: nothing stands before it, or the paragraph of a thought. */
  | 'call'
  /** Behind a thought and more: a step that was written otherwise, or an answer that shows one. */
  | 'unclear'
  /** Shown: words stand before it, and no thought. */
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
  /** The thought has no words yet. */
  #isEmpty = false
  #isBehindBlank = false
  /** What follows is shown, or behind something that was: the last line ends with a colon or was a fence. */
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
    this.#isBehindBlank = isBlankLine
  }

  passFence(): void {
    if (this.#said === 'nothing') this.#said = 'more'
    this.#isLed = true
    this.#isBehindBlank = false
  }

  #think(isEmpty: boolean): void {
    this.#said = 'thought'
    this.#isThoughtful = true
    this.#isEmpty = isEmpty
  }

  #speak(): void {
    const isSameParagraph = this.#said === 'thought' && (this.#isEmpty || !this.#isBehindBlank)
    if (!isSameParagraph) this.#said = 'more'
    this.#isEmpty = false
  }
}

const leading = /[:：][\s*_`]*$/
