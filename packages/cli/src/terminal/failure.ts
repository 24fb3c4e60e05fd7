import { printError, printNote } from './output.js'

export { Failure, UsageError } from '@mutsumi/host'

/** The last stop of every error: one line for people, and an exit code for scripts. */
export function reportFailure(error: unknown): void {
  if (isExpected(error)) {
    // Commander prints for itself, and asks for help or version by an error with code 0.
    const isCommander = 'code' in error && String(error.code).startsWith('commander.')
    if (!isCommander) printError(error.message)
    process.exitCode = isCommander && error.exitCode !== 0 ? 2 : error.exitCode
    return
  }
  process.exitCode = 1
  if (isUnsaved(error)) return printError(error.message)
  if (isLostFolder(error)) return printError(lostFolder)
  printNote(`mutsumi: internal error: ${error instanceof Error ? error.stack : String(error)}`)
  printError('This is a defect in mutsumi; please report it with the lines above.')
}

/** What an error says, for programs. */
export function failureText(error: unknown): string {
  if (isLostFolder(error)) return lostFolder
  const message = error instanceof Error ? error.message : String(error)
  // Commander begins like this.
  return message.replace(/^error: /, '')
}

/** A record that could not be saved (a full disk, say) ends a run from deep inside it. */
function isUnsaved(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SessionError'
}

const lostFolder = 'the folder you are in no longer exists: it was removed or moved; change to another one'

/** Everything that starts from the current folder fails like this where it was removed meanwhile. */
function isLostFolder(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd'
}

/** Our failures and commander's: both have an exit code. */
function isExpected(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number'
}
