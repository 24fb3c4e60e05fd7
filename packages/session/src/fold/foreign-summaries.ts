import type { Compaction, CompactionAct, RequestRecord } from '@mutsumi/schema'

/** Compactions that stand and whose summaries nothing in the session accounts for: they are sent as the system's words. */
export function foreignSummaries(
  compactions: readonly CompactionAct[],
  requests: readonly RequestRecord[],
): readonly Compaction[] {
  // In a plain JSON file they may be anything.
  const acts = compactions.filter((act) => typeof act === 'object' && act !== null)
  const undone = new Set(acts.flatMap((act) => ('undo' in act ? [act.undo] : [])))
  const asked = new Set(requests.flatMap(({ purpose, cell }) => (purpose === 'summary' ? [cell] : [])))
  return acts.flatMap((act) => {
    if ('undo' in act || undone.has(act.id) || isBlank(act.summary)) return []
    return act.cells > 0 && isAccountedFor(act, asked) ? [] : [act]
  })
}

/** A request for it is on record, in the round that it was made in or between two; or it was made of the records alone. */
function isAccountedFor({ within, asked, summary = '' }: Compaction, cells: ReadonlySet<string>): boolean {
  const cell = within ?? asked
  return cell === undefined ? isFromRecords(summary) : cells.has(cell)
}

/** Where no model is asked, what only a model could say is not recorded. Beside that there are lists. */
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
