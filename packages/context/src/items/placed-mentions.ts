import { addMention, type HistoryPrefix, type PlacedMention } from '../conversation/history-memory.js'
import type { Mention } from '../conversation/mentions.js'
import { parseReference } from '../text/reference.js'
import type { ItemDecisions } from './acts.js'

/** The mentions of the history, then the prompt's, then pinned items that are not mentioned. */
export function placedMentions(
  history: HistoryPrefix,
  mentions: readonly Mention[],
  { cell, decisions }: { cell: number; decisions: ItemDecisions },
): Iterable<PlacedMention> {
  const placed = new Map(history.mentions)
  for (const mention of mentions) addMention(placed, mention, cell)
  for (const id of decisions.pinned) {
    const hidden = placed.has(id) ? undefined : history.hiddenMention(id)
    if (hidden) placed.set(id, hidden)
    const reference = parseReference(id.slice(5))
    // Pinned rules and tool results must already be there; only a file can be included by its name.
    if (!id.startsWith('file:') || reference.kind !== 'path' || placed.has(id)) continue
    placed.set(id, { mention: { id, reference, source: 'pin', line: 1, column: 1 } })
  }
  return placed.values()
}
