/** A command that a text calls by its form: `/name words`. */
export interface CommandCall {
  readonly name: string
  /** The text after the name, without blanks around it. */
  readonly words: string
}

/** The command that a prompt calls, whether it exists or not. A path such as `/etc/hosts` has several names. */
export function commandCallIn(prompt: string): CommandCall | undefined {
  const [, name, words = ''] = commandLine.exec(prompt) ?? []
  return name === undefined ? undefined : { name, words: words.trim() }
}

const commandLine = /^\s*\/([\p{L}\p{N}][\p{L}\p{N}._-]{0,63})(?:\s+([\s\S]*))?$/u
