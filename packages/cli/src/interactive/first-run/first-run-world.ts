import type { Asker } from '../picker/asker.js'
import type { Words } from '../words/words.js'

/** A person who begins, as far as questions need them. */
export interface FirstRunWorld {
  readonly words: Words
  readonly ask: Pick<Asker, 'choose'>
  /** Prints lines of any text. */
  readonly say: (lines: readonly string[]) => void
  /** They are not doing something else already. */
  readonly isIdle: () => boolean
  /** Shows what is waited for, if that takes long. */
  readonly during: <Result>(step: keyof Words['work']['opening'], work: Promise<Result>) => Promise<Result>
}
