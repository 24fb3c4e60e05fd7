import type { Observations } from '../session-memory/session-memory.js'

/** As much as one result shows the model. */
export const outputLimit = 30_000

export interface CappedOutput {
  readonly text: string
  readonly truncated: boolean
  /** Where the whole text is kept; absent where nothing was cut. */
  readonly id?: string
}

/** Keeps the head and the tail of a long text; the whole is stored for Recall. */
export function capOutput(text: string, observations: Observations, limit = outputLimit): CappedOutput {
  if (text.length <= limit) return { text, truncated: false }
  const id = observations.keep(text)
  return {
    text: joinEnds(cutEnds({ start: text, end: text, length: text.length }, limit), id),
    truncated: true,
    id,
  }
}

/** What is shown of a text that is too long. */
export interface TextEnds {
  readonly head: string
  readonly tail: string
  /** How many characters stand between them. */
  readonly leftOut: number
}

/** `start` and `end` are what is known of a text of that length: at least half of the limit each. */
export function cutEnds(
  { start, end, length }: { readonly start: string; readonly end: string; readonly length: number },
  limit: number,
): TextEnds {
  const half = Math.floor(limit / 2)
  const head = withoutHalfEnd(start.slice(0, half))
  const tail = withoutHalfStart(end.slice(-half))
  return { head, tail, leftOut: length - head.length - tail.length }
}

/** Says in the middle how much is missing, and where it is. */
export function joinEnds({ head, tail, leftOut }: TextEnds, id: string): string {
  const note = `(${leftOut} characters left out; Recall ${JSON.stringify({ id })} has the whole)`
  return joinLines([head, note, tail])
}

/** Each part on lines of its own; most outputs end with a newline, some do not. */
export function joinLines(parts: readonly string[]): string {
  const present = parts.filter((part) => part !== '')
  return present
    .map((part, index) => (index === present.length - 1 || part.endsWith('\n') ? part : `${part}\n`))
    .join('')
}

// A character beyond the first 65 536 is two code units; half of one is no text.

export function withoutHalfEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}

export function withoutHalfStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text
}
