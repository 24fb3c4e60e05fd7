import { fingerprint } from '../ground/fingerprint.js'

/** A sample boundary, used if only the length matters. */
export const someBoundary = '=====0123456789ab'

/** A text and its fingerprint. */
export interface PrintedText {
  readonly text: string
  readonly print: string
}

/**
 * A line that no content contains, and that is the same for the same contents. The hash makes this almost certain. The
 * search makes it certain: if a content contains the candidate, the next one is tried.
 */
export function chooseBoundary(contents: readonly PrintedText[]): string {
  const hash = fingerprint(contents.map(({ text, print }) => `${text.length}:${print}`).join(' '))
  for (let attempt = 0; ; attempt++) {
    const boundary = `=====${fingerprint(`${attempt}:${hash}`).slice(0, 12)}`
    if (!contents.some(({ text }) => text.includes(boundary))) return boundary
  }
}

export function printed(text: string): PrintedText {
  return { text, print: fingerprint(text) }
}
