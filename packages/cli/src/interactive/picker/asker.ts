import type { Choice } from './picker.js'

/** A list for the person to choose from. */
export interface ChoiceQuestion<Value> {
  readonly title: string
  readonly choices: readonly ValuedChoice<Value>[]
  /** The index of the choice that is marked at first. */
  readonly marked?: number
  /** A short list: the user chooses by number and cannot filter. */
  readonly isNumbered?: boolean
  /** The filter at first. */
  readonly query?: string
  /** The user did not cause the question, so it waits until they come to it with Tab. */
  readonly isUnexpected?: boolean
  /** Searches elsewhere for the words of the filter. Its results follow the choices. */
  readonly search?: (query: string, signal: AbortSignal) => Promise<readonly ValuedChoice<Value>[]>
}

export interface ValuedChoice<Value> extends Choice {
  readonly value: Value
}

/** A line for the person to write. */
export interface TextQuestion {
  readonly title: string
  readonly placeholder?: string
  readonly initial?: string
}

/** Asks the user a command's questions. Undefined if they cancel, for example with Esc. */
export interface Asker {
  choose<Value>(question: ChoiceQuestion<Value>): Promise<Value | undefined>
  write(question: TextQuestion): Promise<string | undefined>
}
