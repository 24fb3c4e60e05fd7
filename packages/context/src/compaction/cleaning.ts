import type { AgentMessage, CompactionAct } from '@mutsumi/schema'
import type { MessageTokens } from '../ground/token-estimate.js'
import { isCompaction } from '../history/active-compactions.js'
import type { CompactedHistory, CompactedMessages } from '../history/compacted-history.js'
import type { HistoryView } from '../history/history-view.js'

/** The plan to clean a history: everything before the newest `cleaned` messages becomes as short as possible. */
export interface CleaningPlan {
  readonly cleaned: number
  /** Cells that are left out already. */
  readonly hidden: number
  /** Messages that become shorter. */
  readonly messages: number
  /** Tokens of the history before it and after it. */
  readonly before: number
  readonly after: number
}

export interface CleanedHistory {
  readonly view: HistoryView
  readonly compacted: CompactedHistory
  readonly shown: CompactedMessages
  readonly acts: readonly CompactionAct[]
}

/** As many of the newest rounds are never cleaned. */
const keptRounds = 2

/**
 * If a history takes more than `above` tokens: old results and inputs become one line each, oldest first, until it takes
 * less. The two newest rounds stay, and so does everything that the user brought back before.
 */
export function planCleaning(
  { view, compacted, shown, acts }: CleanedHistory,
  { above, tokens }: { readonly above: number; readonly tokens: MessageTokens },
): CleaningPlan | undefined {
  const before = tokens.total(shown.messages)
  if (above <= 0 || before <= above) return undefined
  const from = Math.max(shown.summaries, shown.endOf(broughtBack(acts) - 1))
  const to = shown.endOf(newestRounds(view, shown.end) - 1)
  let after = before
  let messages = 0
  let boundary = from
  for (let position = from; position < to && after > above; position++) {
    const saved = savedAt(shown.messages[position], { compacted, tokens })
    if (saved <= 0) continue
    after -= saved
    messages++
    boundary = position + 1
  }
  const { hidden } = shown
  return messages === 0
    ? undefined
    : { cleaned: shown.endOf(shown.end - 1) - boundary, hidden, messages, before, after }
}

function savedAt(
  message: AgentMessage | undefined,
  { compacted, tokens }: { readonly compacted: CompactedHistory; readonly tokens: MessageTokens },
): number {
  if (!message) return 0
  const cleaned = compacted.cleaned.clean(message)
  return cleaned === message ? 0 : tokens.of(message) - tokens.of(cleaned)
}

/** The first cell of the newest rounds before `end`. */
function newestRounds({ cells }: HistoryView, end: number): number {
  let rounds = 0
  for (let cell = end - 1; cell >= 0; cell--) {
    if (cells[cell]?.beginsRound) rounds++
    if (rounds === keptRounds) return cell
  }
  return 0
}

/** Cells whose cleaning the user took back. */
function broughtBack(acts: readonly CompactionAct[]): number {
  const undone = new Set(acts.flatMap((act) => ('undo' in act ? [act.undo] : [])))
  return Math.max(
    0,
    ...acts.flatMap((act) =>
      isCompaction(act) && act.cleaned !== undefined && undone.has(act.id) ? [act.upTo] : [],
    ),
  )
}
