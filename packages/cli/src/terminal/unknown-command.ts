import { nearestName } from '@mutsumi/schema'
import { say } from '../words/say.js'

/** The error for an unknown command. The hint is on its own line, like commander's. */
export function unknownCommand(
  word: string,
  names: readonly string[],
  otherwise = say`To ask something: mutsumi -p "…"`,
): string {
  const nearest = nearestName(word, names)
  const hint = nearest ? say`Did you mean ${nearest}?` : otherwise
  return say`error: unknown command '${word}'\n(${hint})`
}

interface Known {
  readonly names: readonly string[]
  /** A person is at the terminal, and asked for no output for programs. */
  readonly isConversation: boolean
}

/** Why words after the flags are not the first prompt of a conversation; undefined if they are. */
export function refusedWords([word = '', extra]: readonly string[], known: Known): string | undefined {
  const isSentence = /\s/.test(word.trim())
  if (!isSentence && (!known.isConversation || word === '-' || nearestName(word, known.names) !== undefined))
    return unknownCommand(word, known.names)
  if (!known.isConversation)
    return say`error: ${say`a conversation needs a terminal, and no flags for programs; to ask once: mutsumi -p "…"`}`
  if (extra === undefined) return undefined
  const hint = say`quote the prompt, so that it is one word`
  return say`error: ${say`the prompt is "${word}", so "${extra}" is one word too many: ${hint}`}`
}
