import type { Compaction, CompactionAct } from '@mutsumi/schema'

/**
 * Active compactions whose summaries nothing in the session explains. They would be sent as system messages. `asked` has
 * the cells for which a summary was asked for.
 */
export function foreignSummaries(
  compactions: readonly CompactionAct[],
  asked: Pick<ReadonlySet<string>, 'has'>,
): readonly Compaction[] {
  // In a plain JSON file they may have any shape.
  const acts = compactions.filter((act) => typeof act === 'object' && act !== null)
  const undone = new Set(acts.flatMap((act) => ('undo' in act ? [act.undo] : [])))
  return acts.flatMap((act) => {
    if ('undo' in act || undone.has(act.id) || isBlank(act.summary)) return []
    return act.cells > 0 && isAccountedFor(act, asked) ? [] : [act]
  })
}

/**
 * A request for the summary is recorded, in its round or between two rounds, or the summary was made from the records
 * alone.
 */
function isAccountedFor(
  { within, asked, summary = '' }: Compaction,
  cells: Pick<ReadonlySet<string>, 'has'>,
): boolean {
  const cell = within ?? asked
  return cell === undefined ? isFromRecords(summary) : cells.has(cell)
}

/** Without a model, the parts that only a model can write are marked as not recorded; the rest are lists. */
function isFromRecords(summary: string): boolean {
  const lines = summary.split('\n').filter((line) => line.trim() !== '')
  return onlyModelsKnow.every((line) => lines.includes(line)) && lines.every((line) => /^[#*]/.test(line))
}

const onlyModelsKnow = ['Stack', 'Environment', 'Decisions', 'Learnings'].map(
  (name) => `* **${name}**: (not recorded)`,
)

function isBlank(summary: unknown): boolean {
  return typeof summary !== 'string' || summary.trim() === ''
}
