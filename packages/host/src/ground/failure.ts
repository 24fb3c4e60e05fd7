import type { Phrase, WordedMessage } from '@mutsumi/schema'

/** A failure that the user can understand: it is shown as a message without a stack. Exit code 1. */
export class Failure extends Error {
  readonly exitCode: number = 1
  /** The message as data, if it is: a person may read it in another language. */
  readonly phrase: Phrase | undefined

  constructor(said: string | WordedMessage) {
    super(typeof said === 'string' ? said : said.message)
    this.phrase = typeof said === 'string' ? undefined : said.phrase
  }
}

/** The command line, or a setting, is wrong. Exit code 2. */
export class UsageError extends Failure {
  override readonly exitCode = 2
}
