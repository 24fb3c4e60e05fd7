import type { SessionFacts } from '@mutsumi/session'

/**
 * Calls whose process ended before they ran: a file's change is recorded before the file is touched. Of other calls, such
 * as commands, nobody knows it.
 */
export function callsNotRun({
  unanswered,
  changes,
}: Pick<SessionFacts, 'unanswered' | 'changes'>): ReadonlySet<string> {
  const asked = unanswered.filter(({ call }) => changing.has(call.name)).map(({ call }) => call.id)
  if (asked.length === 0) return new Set()
  const begun = new Set(changes.map(({ call }) => call))
  return new Set(asked.filter((id) => !begun.has(id)))
}

const changing: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write'])
