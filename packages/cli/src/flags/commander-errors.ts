import { PhraseReader, phraseText } from '@mutsumi/schema'
import { say, sayWord } from '../words/say.js'
import { errorParts } from './command-parts.js'

/** The words of commander about invalid arguments, and ours in its form. Commander gives only text. */
export const commanderErrors = [
  "error: unknown option '{0}'",
  "error: missing required argument '{0}'",
  "error: required option '{0}' not specified",
  "error: option '{0}' argument missing",
  "error: option '{0}' argument '{1}' is invalid. Allowed choices are {2}.",
  "error: command-argument value '{0}' is invalid for argument '{1}'. Allowed choices are {2}.",
  "error: too many arguments for '{0}'. Expected {1} argument but got {2}.",
  "error: too many arguments for '{0}'. Expected {1} arguments but got {2}.",
]

const reader = new PhraseReader(Object.fromEntries(commanderErrors.map((error) => [error, error])))

/** An error of commander in the reader's language. Other texts stay as they are. */
export function sayCommanderError(text: string): string {
  const { message, hint } = errorParts(text)
  const read = reader.read(message)
  if (!read) return text
  const said = phraseText(read, { [read.code]: sayWord(read.code) })
  const [, names] = /^Did you mean (?:one of )?(.*)\?$/.exec(hint) ?? []
  return names === undefined ? said : `${said}\n(${say`Did you mean ${names}?`})`
}
