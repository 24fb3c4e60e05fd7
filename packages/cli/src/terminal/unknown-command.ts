import { nearestName } from '@mutsumi/schema'

/** What is said to a word that is no command; the hint stands on a line of its own, as commander's does. */
export function unknownCommand(
  word: string,
  names: readonly string[],
  otherwise = 'To ask something: mutsumi -p "…"',
): string {
  const nearest = nearestName(word, names)
  const hint = nearest ? `Did you mean ${nearest}?` : otherwise
  return `error: unknown command '${word}'\n(${hint})`
}
