import type { AgentMessage } from '@mutsumi/schema'
import type { TokenCounter } from '../ground/ports.js'
import type { CompactedHistory, CompactedMessages } from '../history/compacted-history.js'
import type { HistoryView } from '../history/history-view.js'
import { HistoryScales } from './history-sizes.js'
import { type CompactionSizes, yourMessage } from './plan.js'

/** A request by what it is made of; its history apart. */
export interface RequestLayers {
  readonly L1: string
  readonly L2: string
  readonly user: AgentMessage['content']
  readonly ghost: readonly string[]
  readonly scratchpad: readonly AgentMessage[]
  readonly todo: string
  /** Tokens of the tools that are described beside the messages. */
  readonly tools: number
}

export interface ShownHistory {
  readonly view: HistoryView
  readonly compacted: CompactedHistory
  readonly shown: CompactedMessages
}

/** What a plan weighs of a request: by name what no compaction touches, its rounds, and the one that is running. */
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
