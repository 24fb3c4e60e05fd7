import type { Phrase } from '@mutsumi/schema'

/** A failure that the user can understand: it is shown as a message without a stack. Exit code 1. */
export class Failure extends Error {
  readonly exitCode: number = 1
  /** The message as data, for people who read another language. */
  readonly phrase?: Phrase | undefined

  constructor(message: string, { phrase, ...options }: ErrorOptions & { readonly phrase?: Phrase } = {}) {
    super(message, options)
    if (phrase) this.phrase = phrase
  }
}

/** The command line, or a setting, is wrong. Exit code 2. */
export class UsageError extends Failure {
  override readonly exitCode = 2
}
