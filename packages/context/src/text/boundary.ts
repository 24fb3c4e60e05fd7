import { fingerprint } from '../ground/fingerprint.js'

/** A sample boundary, used if only the length matters. */
export const someBoundary = '=====0123456789ab'

/**
 * A line that no content contains, and that is the same for the same contents. The hash makes this almost certain. The
 * search makes it certain: if a content contains the candidate, the next one is tried.
 */
export function chooseBoundary(contents: readonly string[]): string {
  const hash = fingerprint(contents.map((content) => `${content.length}:${fingerprint(content)}`).join(' '))
  for (let attempt = 0; ; attempt++) {
    const boundary = `=====${fingerprint(`${attempt}:${hash}`).slice(0, 12)}`
    if (!contents.some((content) => content.includes(boundary))) return boundary
  }
}
