import type { ReadStream } from 'node:tty'

/** A terminal's answers about its abilities. */
export interface TerminalAnswers {
  /** The Kitty keyboard protocol, which reports Shift+Enter and a lone Esc. */
  readonly keyboard: boolean
  /** Synchronized output: a frame is shown at once. */
  readonly sync: boolean
}

/** Asks for the flags of the keyboard protocol, for mode 2026, and last for its attributes, which every terminal reports. */
const questions = '\u001b[?u\u001b[?2026$p\u001b[c'

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's answer begins with Escape.
const attributes = /\u001b\[\?[\d;]*c/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's answer begins with Escape.
const keyboardFlags = /\u001b\[\?\d+u/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's answer begins with Escape.
const syncMode = /\u001b\[\?2026;([0-4])\$y/

interface Ends {
  readonly input: Pick<ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>
  readonly output: { write(text: string): unknown }
}

/** Asks the terminal about its abilities; undefined if it does not answer. Keys typed meanwhile are lost. */
export function queryTerminal(
  { input, output }: Ends,
  timeoutMs = 1000,
): Promise<TerminalAnswers | undefined> {
  return new Promise((resolve) => {
    let heard = ''
    const end = (answers: TerminalAnswers | undefined) => {
      clearTimeout(timer)
      input.off('data', hear)
      input.setRawMode(false)
      input.pause()
      resolve(answers)
    }
    const hear = (chunk: Buffer) => {
      heard += chunk.toString('latin1')
      if (attributes.test(heard)) end(answersIn(heard))
    }
    const timer = setTimeout(() => end(undefined), timeoutMs)
    input.setRawMode(true)
    input.on('data', hear)
    input.resume()
    output.write(questions)
  })
}

/** 0: it does not know the mode; 4: it never turns it on. */
function answersIn(heard: string): TerminalAnswers {
  const mode = syncMode.exec(heard)?.[1]
  return { keyboard: keyboardFlags.test(heard), sync: mode !== undefined && /[123]/.test(mode) }
}
