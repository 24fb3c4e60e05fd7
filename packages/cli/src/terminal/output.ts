import { writeSync } from 'node:fs'

// Escape sequences, other control characters, and marks that reorder or hide text. Line ends and tabs stay.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Text that cannot steer a terminal: what came from a file or a model is shown, never obeyed. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unsafe, (character) => escapeCharacter(character))
}

/** One line of it. */
export function safeLine(text: string): string {
  return safeText(text).replace(/[\n\t]/g, (character) => escapeCharacter(character))
}

/** JSON that is safe to look at: `stringify` escapes the old control characters, but not the newer ones. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(unsafe, (character) => escapeCharacter(character))
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Prints a document: byte for byte into a pipe or a file, made safe on a terminal. */
export function printDocument(text: string): void {
  process.stdout.write(process.stdout.isTTY ? safeText(text) : text)
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printError(message: string): void {
  process.stderr.write(`mutsumi: ${safeText(message)}\n`)
}

export function printNote(message: string): void {
  process.stderr.write(`${safeText(message)}\n`)
}

/** `mutsumi render … | head` closes the pipe early; that is the reader's right and no error. */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit()
      writeSync(2, `mutsumi: cannot write the output: ${error.message}\n`)
      process.exit(1)
    })
}
