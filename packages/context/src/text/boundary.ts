import { fingerprint } from '../ground/fingerprint.js'

/** Stands for any boundary where only the length matters. */
export const someBoundary = '=====0123456789ab'

/**
 * A line that no content holds, the same for the same contents. The hash makes that almost certain and the
 * search makes it sure: a content that holds the candidate sends us to the next one.
 */
export function chooseBoundary(contents: readonly string[]): string {
  const hash = fingerprint(contents.map((content) => `${content.length}:${fingerprint(content)}`).join(' '))
  for (let attempt = 0; ; attempt++) {
    const boundary = `=====${fingerprint(`${attempt}:${hash}`).slice(0, 12)}`
    if (!contents.some((content) => content.includes(boundary))) return boundary
  }
}
