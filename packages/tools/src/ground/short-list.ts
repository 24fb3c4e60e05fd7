import { oneLine } from './one-line.js'

/** The most names that are listed. */
const namesShown = 20

/** Names in a sentence. The rest of a long list is only counted. */
export function shortList(names: readonly string[]): string {
  const more = names.length - namesShown
  const shown = names.slice(0, namesShown).map(oneLine).join(', ')
  return more > 0 ? `${shown} … (+${more})` : shown
}
