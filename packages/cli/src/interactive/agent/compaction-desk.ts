import type { PlannedCompaction, SessionCompaction } from '@mutsumi/agent'
import type { KeptRounds } from '@mutsumi/context'
import { activeCompactions, compactionThreshold, undoOf } from '@mutsumi/context/parts'
import type { AgentEvent } from '@mutsumi/schema'
import { countedCompaction } from '@mutsumi/session/parts'
import type { CompactOutcome } from '../../drawing/draw-compaction.js'
import type { CurrentSession } from './current-session.js'

export interface CompactRequest {
  /** The user's instructions for the summary. */
  readonly instructions: string
  readonly signal: AbortSignal
  /** The rounds that stay. By default, the settings decide. */
  readonly keep?: KeptRounds | undefined
}

/** Compacts the history between two rounds, and takes that back. */
export class CompactionDesk {
  readonly #current: CurrentSession

  constructor(current: CurrentSession) {
    this.#current = current
  }

  get settings() {
    return this.#current.settings
  }

  /** Plans a compaction. Asks no model and changes nothing. */
  async plan(keep?: KeptRounds): Promise<PlannedCompaction> {
    return (await this.#current.opened()).agent.planCompaction({ keep })
  }

  /** The plan as a report for people; undefined if no compaction fits. */
  outcomeOf({ rounds, plan, loss, before }: PlannedCompaction): CompactOutcome | undefined {
    if (plan.kind === 'too-large') return undefined
    const { contextWindow: window } = this.settings
    const after = plan.kind === 'plan' ? plan.after : before
    const tokens = { before, after, window, threshold: compactionThreshold(this.settings) }
    return { rounds, plan, loss, tokens, warnings: [] }
  }

  async *compact(request: CompactRequest): AsyncGenerator<AgentEvent, SessionCompaction> {
    const { agent } = await this.#current.opened()
    return yield* agent.compact(request)
  }

  /** Takes the newest compaction back. False if there is none. */
  async undo(): Promise<boolean> {
    const { file } = await this.#current.opened()
    const { compactions = [], cells } = file.session
    const newest = activeCompactions(compactions, Number.POSITIVE_INFINITY).at(-1)
    if (!newest) return false
    const names = cells.map(({ metadata }) => metadata?.id)
    for (const act of undoOf(compactions, newest.id))
      await file.add({ type: 'compaction', ...countedCompaction(act, names) })
    return true
  }
}
