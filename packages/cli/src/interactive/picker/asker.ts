import type { Choice } from './picker.js'

/** A list for the person to choose from. */
export interface ChoiceQuestion<Value> {
  readonly title: string
  readonly choices: readonly ValuedChoice<Value>[]
  /** Which one is marked at first. */
  readonly marked?: number
  /** A short list: numbers choose, and nothing is filtered. */
  readonly isNumbered?: boolean
  /** What is typed at first. */
  readonly query?: string
  /** The person did nothing that leads to it. Keys that they press before they can have read it are for the input. */
  readonly isUnexpected?: 'waits' | 'yields'
  /** Looks elsewhere for the words that are typed. What it finds follows the choices. */
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

/** Puts a command's questions to the person. Undefined: they want none of it, as with Esc. */
export interface Asker {
  choose<Value>(question: ChoiceQuestion<Value>): Promise<Value | undefined>
  write(question: TextQuestion): Promise<string | undefined>
}
