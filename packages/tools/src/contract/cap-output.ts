import type { Observations } from '../session-memory/session-memory.js'

/** How much of a result the model sees. */
export const outputLimit = 30_000

export interface CappedOutput {
  readonly text: string
  readonly truncated: boolean
  /** The id of the whole text; absent if nothing was cut. */
  readonly id?: string
}

/** Keeps the head and the tail of a long text, and stores the whole text for Recall. */
export function capOutput(text: string, observations: Observations, limit = outputLimit): CappedOutput {
  if (text.length <= limit) return { text, truncated: false }
  const id = observations.keep(text)
  return {
    text: joinEnds(cutEnds({ start: text, end: text, length: text.length }, limit), id),
    truncated: true,
    id,
  }
}

/** The shown parts of a text that is too long. */
export interface TextEnds {
  readonly head: string
  readonly tail: string
  /** How many characters are between them. */
  readonly leftOut: number
}

/** `start` and `end` are the known ends of a text of that length, each at least half of the limit. */
export function cutEnds(
  { start, end, length }: { readonly start: string; readonly end: string; readonly length: number },
  limit: number,
): TextEnds {
  const half = Math.floor(limit / 2)
  const head = withoutHalfEnd(start.slice(0, half))
  const tail = withoutHalfStart(end.slice(-half))
  return { head, tail, leftOut: length - head.length - tail.length }
}

/** The note in the middle: how much is missing, and how to get it. */
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

// A character beyond the first 65 536 has two code units, and half of it is not valid text.

export function withoutHalfEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}

export function withoutHalfStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text
}
