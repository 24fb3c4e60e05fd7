import { nearestName } from '@mutsumi/schema'

/** The error for an unknown command. The hint is on its own line, like commander's. */
export function unknownCommand(
  word: string,
  names: readonly string[],
  otherwise = 'To ask something: mutsumi -p "…"',
): string {
  const nearest = nearestName(word, names)
  const hint = nearest ? `Did you mean ${nearest}?` : otherwise
  return `error: unknown command '${word}'\n(${hint})`
}
