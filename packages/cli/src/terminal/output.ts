import { writeSync } from 'node:fs'
import { safeLine, safeText } from '@mutsumi/schema'

/** Prints a document: byte for byte into a pipe or a file, made safe on a terminal. */
export function printDocument(text: string): void {
  process.stdout.write(process.stdout.isTTY ? safeText(text) : text)
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** One line, whatever the message quotes. */
export function printError(message: string): void {
  process.stderr.write(`mutsumi: ${safeLine(message)}\n`)
}

export function printNote(message: string): void {
  process.stderr.write(`${safeText(message)}\n`)
}

/** `mutsumi render … | head` closes the pipe early; that is the reader's right and no error. */
export function ignoreClosedPipes(): void {
  onClosedPipe(() => process.exit())
}

/** What happens when nobody reads our output any more, instead of what was said before. */
export function onClosedPipe(react: () => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return react()
      writeSync(2, `mutsumi: cannot write the output: ${error.message}\n`)
      process.exit(1)
    })
}
