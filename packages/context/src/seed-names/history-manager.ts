import {
  type AgentMessage,
  type Compaction,
  type CompactionAct,
  type HistoryMessage,
  type JsonObject,
  type MentionedPaths,
  type RecordedCall,
  type SessionCell,
  type StepMetadata,
  textOf,
} from '@mutsumi/schema'
import { planCleaning } from '../compaction/cleaning.js'
import { HistoryScales } from '../compaction/history-sizes.js'
import {
  type CompactionPlan,
  type NothingToCompact,
  planCompaction,
  type TooLarge,
  yourMessage,
} from '../compaction/plan.js'
import type { SummaryOutcome } from '../compaction/summary-compressor.js'
import { lengthTokenCounter, type TokenCounter } from '../ground/ports.js'
import { type ContextSettings, defaultSettings } from '../ground/settings.js'
import { MessageTokens } from '../ground/token-estimate.js'
import { activeCompactions, undoOf } from '../history/active-compactions.js'
import { cacheState, usualCacheMinutes } from '../history/cache-state.js'
import { addedCell, sentText } from '../history/cell-messages.js'
import { CompactedHistory, type CompactedMessages, hiddenCells } from '../history/compacted-history.js'
import { HistoryView } from '../history/history-view.js'
import { keptResult } from '../history/kept-result.js'
import { MessageList } from '../history/message-list.js'
import { compactionPlaces, placedCompactions } from '../history/placed-compactions.js'
import { type Round, roundsOf } from '../history/rounds.js'
import { shortenedCount } from '../history/shortened.js'
import { ToolResultCompressor } from '../kept-results/tool-result-compressor.js'
import { sentResults } from '../sent-results/sent-results.js'

export interface HistoryManagerOptions {
  readonly settings?: ContextSettings
  readonly tokens?: TokenCounter
  /** A result as its round saw it, by its Recall id. */
  readonly observation?: (id: string) => string | undefined
  /** The lifetime of the provider's prompt cache. 0 if it has none. */
  readonly cacheMinutes?: number
}

/** Data stored with a message. Times and ids come from the host. */
export interface AppendOptions {
  readonly id?: string
  readonly at?: string
  readonly step?: number
}

/** Data recorded with a compaction. */
export interface CompactionFacts {
  readonly id: string
  readonly at?: string
  readonly summary?: string
}

export interface CompactionInput extends Partial<Omit<CompactionFacts, 'summary'>> {
  /** Summarises the rounds that leave: `SummaryCompressor.summarize` with a model. */
  readonly summarize: (rounds: readonly Round[]) => Promise<SummaryOutcome>
  /** Tokens of the parts of the request that are not history, by name. */
  readonly fixed?: Readonly<Record<string, number>>
}

/**
 * A session's history. Facts are appended as they happen, and the view is the part that a model sees. The running
 * round is shown in full; after it ends, its results are shortened. Compaction changes only the view.
 */
export class HistoryManager {
  readonly #settings: ContextSettings
  readonly #compressor: ToolResultCompressor
  readonly #compacted: CompactedHistory
  readonly #scales: HistoryScales
  readonly #view: HistoryView
  readonly #tokens: MessageTokens
  readonly #cacheMinutes: number
  /** The times of the newest message and of the last request. Empty if they are unknown. */
  #newestAt = ''
  #lastRequest: string | undefined
  readonly #cells: SessionCell[]
  readonly #compactions: CompactionAct[]
  /** The running round's messages, results in full; undefined between rounds. */
  #scratchpad: AgentMessage[] | undefined
  /** The same messages as the session stores them. */
  #interaction: AgentMessage[] | undefined

  constructor(
    {
      cells = [],
      compactions = [],
    }: { cells?: readonly SessionCell[]; compactions?: readonly CompactionAct[] } = {},
    {
      settings = defaultSettings,
      tokens = lengthTokenCounter,
      observation,
      cacheMinutes = usualCacheMinutes,
    }: HistoryManagerOptions = {},
  ) {
    this.#settings = settings
    this.#tokens = new MessageTokens(tokens)
    this.#cacheMinutes = cacheMinutes
    const results = sentResults(settings)
    const { kept, contextWindow, summaries, history } = settings
    this.#compressor = new ToolResultCompressor(kept)
    this.#compacted = new CompactedHistory(results, { tokens, contextWindow, kept, ...summaries })
    this.#scales = new HistoryScales(tokens, this.#compacted)
    this.#view = new HistoryView({ results, observation, stubs: history.stubs })
    this.#cells = [...cells]
    this.#compactions = [...placedCompactions(compactions, this.#cells)]
    for (const cell of this.#cells) this.#show(cell)
    // It is unknown what a provider has cached of a history that comes from elsewhere.
    this.#view.begin()
  }

  /** The facts: what a session stores. */
  get cells(): readonly SessionCell[] {
    return [...this.#cells]
  }

  get compactions(): readonly CompactionAct[] {
    return [...this.#compactions]
  }

  get rounds(): readonly Round[] {
    return roundsOf(this.#cells)
  }

  /**
   * Adds a message of any role. A user message begins a round. A tool's result is full for the running round and
   * shortened for history. `Action: Finish[…]`, or `final` in its metadata, ends the round.
   */
  append(message: HistoryMessage): void {
    const { role, content: parts, metadata = {} } = message
    const content = typeof parts === 'string' ? parts : textOf({ role: 'user', content: parts })
    const about = metadata as StepMetadata
    switch (role) {
      case 'user':
        return this.appendUser(content, present(pick(about, ['at'])))
      case 'assistant':
        if (about.final || finish.test(content)) return this.appendFinal(content, pick(about, ['step', 'at']))
        return this.appendAssistant(content, pick(about, ['step', 'at', 'calls']))
      case 'tool': {
        const { tool_name: tool = '', call_id: callId } = about
        const known = { ...pick(about, ['step', 'at', 'observation']), ...(callId ? { callId } : {}) }
        this.appendToolResult(tool, content, known)
        return
      }
      case 'system':
      case 'summary':
        return this.appendSummary(content)
      default:
        return role satisfies never
    }
  }

  /** The messages that a model sees, in order: summaries under their own role, then rounds. */
  get(): readonly HistoryMessage[] {
    return [...this.view()].map((message) =>
      message.role === 'system' ? { role: 'summary', content: textOf(message) } : message,
    )
  }

  /** Begins a round. This ends a round that is still running, even if it is incomplete. */
  appendUser(
    content: string,
    { id, at, mentioned }: AppendOptions & { mentioned?: MentionedPaths } = {},
  ): void {
    this.#endRound()
    this.#newestAt = at ?? ''
    const shortened = this.#shorten()
    this.#view.begin(shortened)
    if (this.#cache === 'cold') this.#clean()
    this.#interaction = []
    this.#scratchpad = []
    this.#cells.push({
      content,
      metadata: {
        role: 'user',
        ...present({ id, at, mentioned }),
        ...(shortened !== undefined && { shortened }),
        mutsumi_interaction: this.#interaction,
      },
    })
  }

  /** Adds a step: the model's own words, and the calls in them. */
  appendAssistant(
    content: string,
    { step, at, calls }: AppendOptions & { calls?: readonly RecordedCall[] } = {},
  ): void {
    this.#lastRequest = this.#newestAt
    this.#append({ role: 'assistant', content, metadata: present({ step, at, calls }) })
  }

  /**
   * Adds a tool's result: full for the running round, shortened for history. `observation` is its Recall id. `shown`
   * is the text for the running round, if the host has already rendered it.
   */
  appendToolResult(
    tool: string,
    result: unknown,
    {
      step,
      at,
      callId,
      args,
      observation,
      shown,
    }: AppendOptions & { callId?: string; args?: JsonObject; observation?: string; shown?: string } = {},
  ): AgentMessage {
    const metadata = present({ step, at, tool_name: tool, call_id: callId, observation })
    const content = keptResult(this.#compressor, { tool, result, args, observation })
    const kept: AgentMessage = { role: 'tool', content, metadata }
    const whole = shown ?? this.#compressor.observe(tool, result)
    this.#append(kept, { role: 'tool', content: whole, metadata })
    this.#newestAt = at ?? this.#newestAt
    if (this.#cache === 'cold') {
      this.#shortenAll()
      this.#clean()
    }
    return kept
  }

  /** The answer that ends a round. */
  appendFinal(content: string, { step, at }: AppendOptions = {}): void {
    this.#lastRequest = this.#newestAt
    this.#append({ role: 'assistant', content, metadata: present({ step, at, final: true }) })
    this.#endRound()
  }

  /** Adds a summary from elsewhere of what came before. It is never compacted. */
  appendSummary(content: string): void {
    this.#endRound()
    const cell = { content, metadata: { role: 'summary' } }
    this.#cells.push(cell)
    this.#show(cell)
  }

  /** The messages that a model sees: the summaries, the rounds that stay, and the running round in full. */
  view(): MessageList {
    const isPlain = activeCompactions(this.#compactions, this.#finished).length === 0
    const finished = isPlain ? this.#view.list : MessageList.of(this.#shown().messages)
    if (!this.#scratchpad) return finished
    return finished.append([...this.#question, ...this.#runningSteps(this.#scratchpad)])
  }

  /** Plans a compaction. `fixed` has the tokens of the parts of the request that are not history, by name. */
  plan(fixed: Readonly<Record<string, number>> = {}): CompactionPlan | NothingToCompact | TooLarge {
    // A compaction breaks the prompt cache: what waits to be shortened waits no longer.
    const shown = this.#shown('short')
    return planCompaction(
      {
        fixed: {
          ...fixed,
          [yourMessage]: this.#scales.weigh(this.#question),
          'earlier summaries': this.#scales.summaries(this.#view, shown),
        },
        rounds: this.#scales.rounds(this.#view, shown),
        ...(this.#scratchpad ? { running: this.#scales.running(this.#runningSteps(this.#scratchpad)) } : {}),
      },
      this.#settings,
    )
  }

  /** The rounds that a plan takes out of the view. */
  leaving(plan: CompactionPlan): readonly Round[] {
    const { hidden } = this.#shown()
    return roundsOf(this.#cells).filter(({ start, end }) => start >= hidden && end <= plan.cells)
  }

  /** Removes the planned rounds from the view. */
  compact(plan: CompactionPlan, about: CompactionFacts): Compaction
  /**
   * Plans a compaction, summarises the rounds that leave, and replaces them with the summary; undefined if nothing
   * leaves.
   */
  compact(work: CompactionInput): Promise<Compaction | undefined>
  compact(
    plan: CompactionPlan | CompactionInput,
    about?: CompactionFacts,
  ): Compaction | Promise<Compaction | undefined> {
    if ('summarize' in plan) return this.#summarizeAndCompact(plan)
    return this.#record(plan, about ?? { id: this.#nextId })
  }

  /** If the summary fails, only the newest rounds stay. If it is cancelled, nothing changes. */
  async #summarizeAndCompact({
    summarize,
    fixed,
    ...about
  }: CompactionInput): Promise<Compaction | undefined> {
    const plan = this.plan(fixed)
    if (plan.kind !== 'plan') return undefined
    const outcome = await summarize(this.leaving(plan))
    if ('reason' in outcome && outcome.reason === 'cancelled') return undefined
    const summary = 'message' in outcome ? { summary: outcome.message.content } : {}
    return this.#record(plan, { id: this.#nextId, ...about, ...summary })
  }

  get #nextId(): string {
    return `c${this.#compactions.length + 1}`
  }

  #record(plan: CompactionPlan, { id, at, summary }: CompactionFacts): Compaction {
    const { cells, compression, clip, steps } = plan
    const upTo = this.#finished
    const places = compactionPlaces({ cells, upTo }, this.#cells)
    const compaction: Compaction = {
      ...{ id, cells, upTo, compression },
      ...present({ at, clip, steps, summary }),
      ...(places && { places }),
    }
    this.#compactions.push(compaction)
    this.#shortenAll()
    return compaction
  }

  /** Undoes a compaction and all later ones. The rounds that they left out are shown again. */
  undo(id: string): boolean {
    const undone = undoOf(this.#compactions, id)
    this.#compactions.push(...undone)
    return undone.length > 0
  }

  get #finished(): number {
    return this.#scratchpad ? this.#cells.length - 1 : this.#cells.length
  }

  /** The question of the running round. */
  get #question(): readonly AgentMessage[] {
    const cell = this.#scratchpad ? this.#cells.at(-1) : undefined
    return cell && cell.content.trim() !== '' ? [{ role: 'user', content: sentText(cell) }] : []
  }

  #shown(form?: 'short'): CompactedMessages {
    const end = this.#finished
    const compactions = activeCompactions(this.#compactions, end)
    return this.#compacted.show(this.#view, end, {
      compactions,
      shortened: form === 'short' ? undefined : 0,
    })
  }

  get #cache() {
    const now = Date.parse(this.#newestAt)
    return cacheState({ lastRequest: this.#lastRequest, now, minutes: this.#cacheMinutes })
  }

  /** The number of short messages in the requests of the round that begins now. */
  #shorten(): number | undefined {
    const end = this.#cells.length
    const { cells } = this.#view
    const active = activeCompactions(this.#compactions, end)
    const hidden = hiddenCells((cell) => cells[cell]?.beginsRound === true, end, active)
    const facts = { recorded: undefined, cache: this.#cache, hidden }
    return shortenedCount(this.#view, facts, { ...this.#settings, tokens: this.#tokens })
  }

  /** A cold cache makes it free to show old results as one line each. */
  #clean(): void {
    const shown = this.#shown()
    const history = { view: this.#view, compacted: this.#compacted, shown, acts: this.#compactions }
    const above = this.#settings.history.cleanAbove
    const plan = planCleaning(history, { above, tokens: this.#tokens })
    if (!plan) return
    const { hidden: cells, cleaned } = plan
    this.#compactions.push({
      ...{ id: this.#nextId, cells, upTo: this.#finished, compression: 'normal', cleaned },
      ...(this.#newestAt !== '' && { at: this.#newestAt }),
    })
  }

  #shortenAll(): void {
    this.#view.begin()
    const cell = this.#scratchpad ? this.#cells.at(-1) : undefined
    if (!cell?.metadata || cell.metadata.shortened === undefined) return
    const { shortened: _, ...metadata } = cell.metadata
    this.#cells[this.#cells.length - 1] = { ...cell, metadata }
  }

  #runningSteps(scratchpad: readonly AgentMessage[]): readonly AgentMessage[] {
    const end = this.#finished
    const whole = this.#view.running(scratchpad)
    return this.#compacted.runningSteps(whole, end, activeCompactions(this.#compactions, end))
  }

  #append(kept: AgentMessage, full: AgentMessage = kept): void {
    // A step without a question before it, in a history that begins in the middle.
    if (!this.#scratchpad) this.appendUser('')
    this.#scratchpad?.push(full)
    this.#interaction?.push(kept)
  }

  #endRound(): void {
    const cell = this.#cells.at(-1)
    if (!this.#scratchpad || !cell) return
    this.#scratchpad = undefined
    this.#interaction = undefined
    this.#show(cell)
    if (this.#settings.history.rewrite === 'round') this.#view.begin()
  }

  #show(cell: SessionCell): void {
    this.#view.add(addedCell(cell))
  }
}

const finish = /^[ \t]*\**action\**[ \t]*[:：]\**[ \t]*finish[ \t]*\[/im

function pick<Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  names: readonly Name[],
): Partial<Pick<Fields, Name>> {
  return present(Object.fromEntries(names.map((name) => [name, fields[name]]))) as Partial<Pick<Fields, Name>>
}

/** Leaves out undefined fields, so that a stored message has no empty names. */
function present<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>
}
