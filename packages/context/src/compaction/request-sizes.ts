import type { AgentMessage } from '@mutsumi/schema'
import type { TokenCounter } from '../ground/ports.js'
import type { CompactedHistory, CompactedMessages } from '../history/compacted-history.js'
import type { HistoryView } from '../history/history-view.js'
import { HistoryScales } from './history-sizes.js'
import { type CompactionSizes, yourMessage } from './plan.js'

/** The parts of a request, except its history. */
export interface RequestLayers {
  readonly L1: string
  readonly L2: string
  readonly user: AgentMessage['content']
  readonly ghost: readonly string[]
  readonly scratchpad: readonly AgentMessage[]
  readonly todo: string
  /** Tokens of the tool descriptions sent beside the messages. */
  readonly tools: number
}

export interface ShownHistory {
  readonly view: HistoryView
  readonly compacted: CompactedHistory
  readonly shown: CompactedMessages
}

/**
 * The sizes that a plan needs: the parts that no compaction touches, by name, the finished rounds, and the running
 * one.
 */
export function requestSizes(
  { L1, L2, user, ghost, scratchpad, todo, tools }: RequestLayers,
  { view, compacted, shown }: ShownHistory,
  tokens: TokenCounter,
): CompactionSizes {
  const scales = new HistoryScales(tokens, compacted)
  return {
    fixed: {
      'the system prompt with its tools': tokens.count(L1),
      'the tools': tools,
      'the project rules': tokens.count(L2),
      'the ghost block': ghost.reduce((sum, block) => sum + tokens.count(block), 0),
      [yourMessage]: scales.weigh([{ role: 'user', content: user }]),
      'the todo list': tokens.count(todo),
      'earlier summaries': scales.summaries(view, shown),
    },
    rounds: scales.rounds(view, shown),
    ...(scratchpad.length > 0 ? { running: scales.running(scratchpad) } : {}),
  }
}
