import type { Asker } from '../picker/asker.js'
import type { Words } from '../words/words.js'

/** Everything that the questions of a first run need. */
export interface FirstRunWorld {
  readonly words: Words
  readonly ask: Pick<Asker, 'choose'>
  /** Prints lines of any text. */
  readonly say: (lines: readonly string[]) => void
  /** The user is not doing something else already. */
  readonly isIdle: () => boolean
  /** Awaits the work. If it takes long, the screen shows the name of the step. */
  readonly during: <Result>(step: keyof Words['work']['opening'], work: Promise<Result>) => Promise<Result>
}
