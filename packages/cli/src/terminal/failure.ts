import { say, sayFault } from '../words/say.js'
import { printError, printNote } from './output.js'

export { Failure, UsageError } from '@mutsumi/host'

/** Handles every error at the end: one line for people, and an exit code for scripts. */
export function reportFailure(error: unknown): void {
  if (isExpected(error)) {
    // Commander prints its own errors, and signals help or version with an error of code 0.
    const isCommander = 'code' in error && String(error.code).startsWith('commander.')
    if (!isCommander) printError(sayFault(error))
    process.exitCode = isCommander && error.exitCode !== 0 ? 2 : error.exitCode
    return
  }
  process.exitCode = 1
  if (isUnsaved(error)) return printError(sayFault(error))
  if (isLostFolder(error)) return printError(lostFolder())
  if (isOutOfFiles(error)) return printError(outOfFiles())
  printNote(say`mutsumi: internal error: ${error instanceof Error ? error.stack : String(error)}`)
  printError(say`This is a bug in mutsumi; please report it with the lines above.`)
}

/** The message of an error for people or, without another language, for programs. */
export function failureText(error: unknown): string {
  if (isLostFolder(error)) return lostFolder()
  if (isOutOfFiles(error)) return outOfFiles()
  const message = error instanceof Error ? sayFault(error) : String(error)
  // Commander's messages begin like this.
  return message.replace(/^error: /, '')
}

/** A record that could not be saved, for example on a full disk, ends a run from deep inside. */
function isUnsaved(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SessionError'
}

const lostFolder = () =>
  say`the current folder no longer exists: it was removed or moved; change to another one`

/** Anything that uses the current folder fails like this if it was removed meanwhile. */
function isLostFolder(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd'
}

const outOfFiles = () =>
  say`too many files are open, so mutsumi cannot go on; allow more (ulimit -n 256), or end other programs`

function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
}

/** Our failures and commander's: both have an exit code. */
function isExpected(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number'
}
