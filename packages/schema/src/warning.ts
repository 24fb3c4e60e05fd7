import type { Phrase } from './phrase.js'

/**
 * Something the user should know. A warning never stops the work; the text it concerns reports the problem to the
 * model.
 */
export interface Warning {
  /** Stable and kebab-case, for programs. */
  readonly code: string
  readonly message: string
  /** The message as data, for other languages. */
  readonly phrase?: Phrase
  /** A workspace-relative path, `prompt`, `cell N`, or the name of a tool. */
  readonly source: string
  /** From 1; absent if the warning does not concern a place in a text. */
  readonly line?: number
  readonly column?: number
}
