import type { SessionCell } from '@mutsumi/schema'

/**
 * A cell as a person typed it. A cell that calls a user command contains the command's text, after the words that call it:
 *
 *     /review a.ts                         what is shown, `metadata.typed`
 *
 *     The command /review of the user says: …
 */
export function typedText(cell: SessionCell): string {
  return isExpanded(cell) ? cell.metadata.typed : cell.content
}

/** The content of a cell. If it calls a user command and the call did not change, that is its recorded text. */
export function contentOf(value: string, recorded: SessionCell | undefined): string {
  return recorded && isExpanded(recorded) && recorded.metadata.typed === value ? recorded.content : value
}

/** If another program changed the text, the typed words are ignored. */
function isExpanded(
  cell: SessionCell,
): cell is SessionCell & { readonly metadata: { readonly typed: string } } {
  const typed = cell.metadata?.typed
  return typeof typed === 'string' && cell.content.startsWith(`${typed.trim()}\n\n`)
}
