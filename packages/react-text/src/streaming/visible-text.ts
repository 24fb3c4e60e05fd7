import { closesFence, fenceAt, isActionHeading, isBlank, type Marker, skipBlank } from '../reply/markers.js'
import { GrowingText } from './growing-text.js'
import type { ReplyPart } from './reply-parts.js'
import { CertainAnswer } from './visible-answer.js'

/** The parts of a reply that may be shown while it streams in. */
export interface Visible {
  readonly thought: string
  readonly answer: string
}

/**
 * Shows the thoughts after `Thought:` and the answer inside `Finish[`, as far as they are certain. After an action
 * begins, nothing more is shown.
 */
export class VisibleText {
  #stage: Stage | undefined = new Thoughts()

  take(part: ReplyPart): Visible {
    const shown = { thought: '', answer: '' }
    let left: ReplyPart | undefined = part
    while (left && this.#stage) {
      const taken: Taken = this.#stage.take(left)
      shown.thought += taken.thought ?? ''
      shown.answer += taken.answer ?? ''
      if ('next' in taken) this.#stage = taken.next
      left = taken.left
    }
    return shown
  }
}

/** One section of a reply. */
interface Stage {
  take(part: ReplyPart): Taken
}

interface Taken {
  readonly thought?: string
  readonly answer?: string
  /** The section that follows; undefined if nothing more is shown, absent while this one continues. */
  readonly next?: Stage | undefined
  /** The share of the part that belongs to this section. */
  readonly left?: ReplyPart
}

const over: Taken = { next: undefined }

/** Up to the first line that begins an action or an answer. */
class Thoughts implements Stage {
  readonly #shown = new GrowingText()
  #isThought = false
  /** The marks of the open fence. */
  #fence = ''
  /** The text of a fence, until it is clear that it contains no action. */
  #held: string | undefined

  take(part: ReplyPart): Taken {
    if (this.#fence !== '') return this.#takeFenced(part)
    const { text, opens, marker } = part
    if (!opens) return this.#show(text)
    this.#fence = fenceAt(text, 0)
    if (this.#fence !== '') {
      this.#held = text
      return {}
    }
    if (marker?.kind === 'thought') this.#isThought = true
    else if (marker && marker.kind !== 'input') return sectionAfter(marker, text)
    else if (isActionHeading(text, 0) || /^\s*\[?\s*\{/.test(text)) return over
    return this.#show(text.slice(marker?.kind === 'thought' ? marker.end : 0))
  }

  #takeFenced({ text, opens, marker }: ReplyPart): Taken {
    if (this.#held !== undefined && isBlank(text)) {
      this.#held += text
      return {}
    }
    if (marker && this.#held !== undefined) return over
    if (opens && closesFence(text, 0, this.#fence)) this.#fence = ''
    const held = this.#held ?? ''
    this.#held = undefined
    return this.#show(held + text)
  }

  #show(text: string): Taken {
    return this.#isThought ? { thought: this.#shown.add(text) } : {}
  }
}

/** The section after a marker that ends the thoughts. */
function sectionAfter({ kind, end }: Marker, text: string): Taken {
  switch (kind) {
    case 'action':
      return { next: new FinishOpening(), left: { text: text.slice(end), opens: false } }
    case 'finish':
      return answerAfter(text, skipBlank(text, end))
    case 'final':
      return { next: new CertainAnswer(), left: { text: text.slice(end), opens: false } }
    case 'thought':
    case 'input':
    case 'observation':
    case 'foreign':
      return over
    default:
      return kind satisfies never
  }
}

/** The answer in the bracket at `bracket`. */
function answerAfter(text: string, bracket: number): Taken {
  return {
    next: new CertainAnswer(text[bracket]),
    left: { text: text.slice(bracket + 1), opens: false },
  }
}

const finish =
  /^[ \t]{0,9}(?:\r?\n)?[ \t]{0,9}(?!```)[*`]{0,3}(?:finish|final answer|完成|结束)[*`]{0,3}[ \t]{0,3}[[［【(（]/i
const longestOpening = 60

/** The section between `Action:` and the bracket of an answer, if it is an answer. */
class FinishOpening implements Stage {
  #seen = ''

  take({ text }: ReplyPart): Taken {
    this.#seen += text
    const found = finish.exec(this.#seen)
    if (found) return answerAfter(this.#seen, found[0].length - 1)
    return this.#seen.length > longestOpening ? over : {}
  }
}
