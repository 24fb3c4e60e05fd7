import type { CacheState } from '@mutsumi/context/parts'
import type { AgentEvent, AgentMessage } from '@mutsumi/schema'
import type { SentMessage } from '@mutsumi/session'
import type { AgentOptions } from './options/agent-options.js'
import type { ProtocolName } from './protocol/choose-protocol.js'
import type { AgentLimits, Steering } from './round/agent-host.js'
import {
  type CompactSessionOptions,
  compactSession,
  type PlannedCompaction,
  planSession,
  type SessionCompaction,
} from './round/compact-session.js'
import type { CompactionLog } from './round/compaction-host.js'
import { type NextRequest, type NextRequestOptions, nextRequest, sharedTokens } from './round/next-request.js'
import { runRound } from './round/run-round.js'
import type { ChangedSince } from './undo/changed-files.js'
import type { NothingToUndo, UndoOutcome, UndoPlan } from './undo/undo-rounds.js'
import { expandUserCommand, type PreparedPrompt } from './user-command.js'
import { openWorkbench, type Workbench } from './workbench.js'

export interface CompactOptions extends CompactSessionOptions {
  /** The session, if the store does not keep it. Then the agent's own session is empty. */
  readonly log?: CompactionLog
}

/** Options of one round. */
export interface RoundOptions extends AgentLimits {
  readonly steering?: Steering
  /** The id of a recorded cell to answer, which has no answer yet. Absent: the prompt becomes a new cell. */
  readonly cell?: string
  /** The steps of a plan that the user accepts with a new prompt. They become the todo list. */
  readonly plan?: readonly string[]
}

/** An agent at work in one session: `run` is one round of it. */
export class Agent {
  readonly #bench: Workbench
  readonly #traced: (events: AsyncGenerator<AgentEvent>) => AsyncGenerator<AgentEvent>

  private constructor(bench: Workbench, { session, model, tracing }: AgentOptions) {
    this.#bench = bench
    const about = { session: session.header.id, model: model.name }
    this.#traced = (round) => tracing?.round(about, round) ?? round
  }

  static async open(options: AgentOptions): Promise<Agent> {
    const openSubAgent = (sub: AgentOptions) =>
      Agent.open({ ...sub, limits: { ...sub.limits, subAgents: false } })
    return new Agent(await openWorkbench(options, openSubAgent), options)
  }

  get root(): string {
    return this.#bench.commands.workspace.root
  }

  /** Names of the tools that the model is offered. */
  get tools(): readonly string[] {
    return this.#bench.tools
  }

  /** The protocol for calls and answers. */
  get protocol(): ProtocolName {
    return this.#bench.protocol
  }

  /** The prompt for what the user typed: `/name` is replaced by the command of that name. */
  prepare(typed: string): Promise<PreparedPrompt> {
    return expandUserCommand(typed, this.#bench.commands)
  }

  /** Runs one round and yields its events. The last one is `round-end`; all sub-agents have ended by then. */
  run(prompt: string, signal?: AbortSignal, options: RoundOptions = {}): AsyncGenerator<AgentEvent> {
    return this.#traced(this.#round(prompt, signal, options))
  }

  /** The next request, before anything is typed. Asks no model and changes nothing. */
  next(options?: NextRequestOptions): Promise<NextRequest> {
    return nextRequest(this.#bench.host, options)
  }

  /** Whether the provider's cache still has the last request. */
  get cache(): CacheState {
    return this.#bench.host.cache.state
  }

  /** Tokens at the beginning of a request that are the same as in the last sent one. */
  sharedTokens(sent: readonly SentMessage[], messages: readonly AgentMessage[]): number {
    return sharedTokens(sent, messages, this.#bench.host.tokens)
  }

  /** Plans what `compact` would do. Asks no model and changes nothing. */
  planCompaction({ log, keep }: Pick<CompactOptions, 'log' | 'keep'> = {}): Promise<PlannedCompaction> {
    const { host } = this.#bench
    return planSession(log ? { ...host, log } : host, { keep })
  }

  /** Compacts the history between two rounds, as a round does when there is no room. */
  compact({ log, ...options }: CompactOptions = {}): AsyncGenerator<AgentEvent, SessionCompaction> {
    const { host } = this.#bench
    return compactSession(log ? { ...host, log } : host, options)
  }

  /** Plans what undoing the newest rounds would do to the view and to the files. Changes nothing. */
  async planUndo(options: { readonly rounds?: number } = {}): Promise<UndoPlan | NothingToUndo> {
    const { planUndo } = await import('./undo/undo-rounds.js')
    return planUndo(await this.#bench.undoPlace(), options)
  }

  /** Plans what reverting the newest undo would do. Changes nothing. */
  async planRedo(): Promise<UndoPlan | NothingToUndo> {
    const { planRedo } = await import('./undo/undo-rounds.js')
    return planRedo(await this.#bench.undoPlace())
  }

  /** Carries out a plan of `planUndo` or `planRedo`, between two rounds. */
  async carryOut(plan: UndoPlan): Promise<UndoOutcome> {
    const { carryOut } = await import('./undo/undo-rounds.js')
    this.#bench.forgetFiles()
    return carryOut(await this.#bench.undoPlace(), plan)
  }

  /** The files that the agent changed in the rounds of the view, from a round on. */
  async changedSince(
    options: { readonly round?: number; readonly length?: number } = {},
  ): Promise<readonly ChangedSince[]> {
    const { changedSince } = await import('./undo/changed-files.js')
    return changedSince(await this.#bench.undoPlace(), options)
  }

  async *#round(
    prompt: string,
    signal: AbortSignal | undefined,
    { steering, cell, plan, ...limits }: RoundOptions,
  ): AsyncGenerator<AgentEvent> {
    const { host: lent, events, slots, subAgents } = this.#bench
    slots.beginRound()
    const host = {
      ...lent,
      limits: { ...lent.limits, ...limits },
      ...(steering && { steering }),
      ...(plan && { plan }),
    }
    for await (const event of runRound(prompt, host, signal, cell)) {
      if (event.type === 'round-end') yield* events.during(Promise.allSettled(subAgents))
      yield event
    }
  }
}
