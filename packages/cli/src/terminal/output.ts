import { writeSync } from 'node:fs'
import { safeLine, safeText, type WordedMessage } from '@mutsumi/schema'
import { say, sayFault } from '../words/say.js'
import { fitLines } from './fit-lines.js'

/** Prints a document: byte for byte into a pipe or a file, made safe on a terminal. */
export function printDocument(text: string): void {
  process.stdout.write(process.stdout.isTTY ? safeText(text) : text)
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** A text for people: on a narrow screen its lines are wrapped between words. */
export function printReport(text: string): void {
  printLine(fitLines(text))
}

/** Always one line. On a narrow screen it is broken between words. */
export function printError(message: string): void {
  const { isTTY, columns } = process.stderr
  const line = `mutsumi: ${safeLine(message)}`
  process.stderr.write(`${isTTY && columns > 0 ? fitLines(line, columns) : line}\n`)
}

export function printNote(message: string): void {
  process.stderr.write(`${safeText(message)}\n`)
}

/** A note of the host, in the reader's language. */
export function printHostNote(said: WordedMessage): void {
  printNote(sayFault(said))
}

/** `mutsumi render … | head` closes the pipe early, which is not an error. */
export function ignoreClosedPipes(): void {
  onClosedPipe(() => process.exit())
}

/** Replaces the handler for when nobody reads our output any more. */
export function onClosedPipe(react: () => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return react()
      writeSync(2, say`mutsumi: cannot write the output: ${error.message}\n`)
      process.exit(1)
    })
}
