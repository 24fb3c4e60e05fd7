/** A failure that the user can understand: it is shown as a message without a stack. Exit code 1. */
export class Failure extends Error {
  readonly exitCode: number = 1
}

/** The command line, or a setting, is wrong. Exit code 2. */
export class UsageError extends Failure {
  override readonly exitCode = 2
}
