/**
 * The effort that a text may cost, in units of about 25 nanoseconds. Some text costs far more time than its length
 * suggests, and a build must end soon for any documents.
 */
export interface Effort {
  /** True if this much effort is left. */
  allows(units: number): boolean
  /** Charges effort, before or after the work. */
  book(units: number): void
}

/** The budget of one build: the longest pattern on the longest text, or two to three seconds. */
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

/** Bytes of large files that one build may search for lines: also two to three seconds, if the lines are short. */
export const maximumScan = 256 * 1024 * 1024
