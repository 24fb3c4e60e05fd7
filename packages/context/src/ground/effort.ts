/**
 * The work that a text may ask for, in units of about 25 nanoseconds. Some of what can be written costs far more
 * time than its length suggests, and a build must end soon whatever its documents say.
 */
export interface Effort {
  /** True where so much work may still be done. */
  allows(units: number): boolean
  /** Books work, done or about to be. */
  book(units: number): void
}

/** What one build may spend: the longest pattern on the longest text, or two to three seconds. */
export const maximumEffort = 1024 * 100 * 1024

/** The effort of a text that is read on its own. */
export function freshEffort(): Effort {
  let left = maximumEffort
  return {
    allows: (units) => units <= left,
    book: (units) => {
      left -= units
    },
  }
}

/** Bytes of large files that one build may look through for lines: again two to three seconds, where the lines are short. */
export const maximumScan = 256 * 1024 * 1024
