import type { Asker } from '../picker/asker.js'
import type { Words } from '../words/words.js'

/** Everything that the question for trust and the opening of an agent need. */
export interface FirstRunWorld {
  readonly words: Words
  readonly ask: Pick<Asker, 'choose'>
  /** Prints lines of any text. */
  readonly say: (lines: readonly string[]) => void
  /** Awaits the work. If it takes long, the screen shows the name of the step. */
  readonly during: <Result>(step: keyof Words['work']['opening'], work: Promise<Result>) => Promise<Result>
}
