import type { AgentMessage, Compaction, CompactionAct, Session, Warning } from '@mutsumi/schema'
import { type CleaningPlan, planCleaning } from './compaction/cleaning.js'
import {
  type HistoryReport,
  reportHistory,
  reportSummaries,
  type SummaryReport,
} from './compaction/history-report.js'
import {
  type CompactionPlan,
  type NothingToCompact,
  planCompaction,
  type TooLarge,
} from './compaction/plan.js'
import { requestSizes } from './compaction/request-sizes.js'
import { converse } from './conversation/converse.js'
import type { HistoryPrefix } from './conversation/history-memory.js'
import { readSession } from './conversation/session.js'
import { lengthTokenCounter, type Ports, type TokenCounter } from './ground/ports.js'
import { type ContextSettings, defaultSettings } from './ground/settings.js'
import { MessageTokens } from './ground/token-estimate.js'
import type { Build, World } from './ground/world.js'
import { activeCompactions } from './history/active-compactions.js'
import type { CacheState } from './history/cache-state.js'
import { collect } from './items/collect.js'
import { type AssembledItem, fit } from './items/fit.js'
import type { ItemContent } from './items/item-content.js'
import { projectRulesSection } from './items/project-rules.js'
import { type EngineMemory, newMemory } from './memory.js'
import type { AssembledContext } from './request/assembled-context.js'
import { layOut } from './request/lay-out.js'
import { place } from './request/place.js'
import type { ResultForm } from './sent-results/sent-results.js'
import { toFileUri } from './text/file-uri.js'

export interface EngineOptions {
  readonly settings?: ContextSettings
  /** The user trusts this workspace: its files may call read-only tools. */
  readonly trusted?: boolean
  /** Macros that the host defines, for example on the command line. Cells may override them. */
  readonly macros?: Readonly<Record<string, string>>
  /** Folders that the user adds for this run to those that the session may use: absolute paths. */
  readonly folders?: readonly string[]
  /** The user's own text for the end of the system prompt, unchanged. */
  readonly appendSystem?: string
}

export interface AssembleOptions {
  /** A preview: nothing with side effects runs. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  /** The steps of this round so far. They follow the user's message. */
  readonly scratchpad?: readonly AgentMessage[]
  /**
   * Whether the provider's prompt cache still has what was sent last, as far as recorded facts say. Absent: no request is
   * to be sent, and the history is shown as it was sent, or short.
   */
  readonly cache?: CacheState
  /** The running round's todo list in one line, which ends the request. Absent: the history's list is used. */
  readonly todo?: string
}

export interface PlanOptions extends AssembleOptions {
  /** The model's own window, if it is smaller than the setting. */
  readonly window?: number
  /** Tokens of the tool descriptions sent beside the messages. */
  readonly tools?: number
  /** Which rounds stay, if not those that the settings say. */
  readonly keep?: KeptRounds | undefined
}

/** The newest rounds that a compaction keeps: by their number, or by their tokens. */
export type KeptRounds = Partial<Pick<ContextSettings, 'retainRounds' | 'retainTokens'>>

/** The recorded message that a sent one was made from. */
export interface RecordedSource {
  readonly message: AgentMessage
  readonly form: ResultForm
}

/**
 * Turns a prompt, a session and a workspace into the exact request. An engine serves one session. Its caches make the
 * next build cheaper and never change a byte of it.
 */
export class ContextEngine {
  readonly #world: World
  readonly #memory: EngineMemory

  constructor(
    ports: Ports,
    {
      settings = defaultSettings,
      trusted = false,
      macros = {},
      folders = [],
      appendSystem = '',
    }: EngineOptions = {},
  ) {
    const tokens = ports.tokens ?? lengthTokenCounter
    const workspaceUris = [toFileUri(ports.reader.root)]
    this.#world = { ports, settings, tokens, trusted, workspaceUris, appendSystem }
    this.#memory = newMemory(this.#world, { macros, addedUris: folders.map(toFileUri) })
  }

  /** Builds the request that cell `cell` with the text `prompt` sends. Only reads; changes nothing. */
  async assemble(
    session: Session,
    cell: number,
    prompt: string,
    options: AssembleOptions = {},
  ): Promise<AssembledContext> {
    const memory = this.#memory
    const build: Build = { dryRun: false, scratchpad: [], ...this.#world, ...options, cell, prompt }
    const conversation = converse(readSession(session), build, memory)
    const collected = await collect(conversation, build, memory)
    const fitted = fit(collected, build, { weights: memory.renderer, stubs: memory.stubs })
    const laid = await layOut(conversation, { collected, fitted }, { build, memory })
    const { metadata, cells } = conversation.session
    return {
      messages: place(laid.layers),
      ...conversation.identity,
      layers: laid.layers,
      ...defined({
        shortened: conversation.history.shortened,
        rewrittenFrom: conversation.history.rewrittenFrom,
      }),
      projectRules: collected.projectRules.map((file) => ({
        name: file.name,
        text: projectRulesSection(file),
      })),
      items: [...fitted.inSystem, ...fitted.inGhost, ...fitted.dropped],
      ...(laid.brought && { brought: laid.brought }),
      mentioned: laid.mentioned,
      warnings: uniqueWarnings([conversation, collected, fitted, laid]),
      metadata: {
        ...metadata,
        contextItems: collected.saved,
        ...memory.macros.stored(metadata, cells, conversation.macros),
      },
    }
  }

  /** Plans what a compaction would do to the request of this cell. */
  async planCompaction(
    session: Session,
    cell: number,
    prompt: string,
    { window = this.settings.contextWindow, tools = 0, keep, ...options }: PlanOptions = {},
  ): Promise<CompactionPlan | NothingToCompact | TooLarge> {
    // A compaction breaks the prompt cache: what waits to be shortened waits no longer.
    const cache = 'cold'
    const { layers } = await this.assemble(session, cell, prompt, { ...options, cache, dryRun: true })
    const { shown } = this.#shownBefore(session, cell, cache)
    const { view, compacted } = this.#memory.history
    const sizes = requestSizes({ ...layers, tools }, { view, compacted, shown }, this.tokens)
    return planCompaction(sizes, { ...this.settings, ...keep, contextWindow: window })
  }

  /** Plans to clean the history before this cell; undefined if it is short enough. For a cold prompt cache. */
  planCleaning(session: Session, cell: number): CleaningPlan | undefined {
    const { shown, acts } = this.#shownBefore(session, cell, 'cold')
    const { view, compacted } = this.#memory.history
    const above = this.settings.history.cleanAbove
    return planCleaning({ view, compacted, shown, acts }, { above, tokens: new MessageTokens(this.tokens) })
  }

  /** Reports which parts of the history before this cell are shown and which are left out. */
  reportHistory(
    session: Session,
    cell: number,
    { cache }: Pick<AssembleOptions, 'cache'> = {},
  ): HistoryReport {
    const { shown, active } = this.#shownBefore(session, cell, cache)
    return reportHistory({ view: this.#memory.history.view, shown, compactions: active }, this.tokens)
  }

  /** The same about its summaries alone, which costs the same however long the session is. */
  reportSummaries(session: Session, cell: number): SummaryReport {
    const { shown } = this.#shownBefore(session, cell, undefined)
    return reportSummaries(shown, new MessageTokens(this.tokens))
  }

  get settings(): ContextSettings {
    return this.#world.settings
  }

  get tokens(): TokenCounter {
    return this.#world.tokens
  }

  /** A recorded message as it is sent: results have the form chosen in the settings. */
  sent(message: AgentMessage): AgentMessage {
    return this.#memory.results.sent(message)
  }

  /** The recorded message that a sent one was made from, and in which form; undefined if it is sent as recorded. */
  recorded(message: AgentMessage): RecordedSource | undefined {
    const { results } = this.#memory
    const source = results.recorded(message)
    return source === message ? undefined : { message: source, form: results.form }
  }

  /** Splits a ghost block into its items, so that request records store each of them once. */
  piecesOfBlock(block: string, items: readonly AssembledItem[]): readonly string[] {
    const contents = items.map(({ content }) => content)
    return this.#memory.renderer.piecesOf(block, contents)
  }

  /** The texts that an earlier message with a block is made of; undefined for any other message. */
  piecesOf(message: AgentMessage): readonly string[] | undefined {
    return this.#memory.pieces.get(message)
  }

  /** The text that an item adds to the ghost block. */
  tokensOf(item: ItemContent): number {
    return this.#memory.renderer.tokensOf(item)
  }

  /** Hash of an item's content as shown. */
  hashOf(item: ItemContent): string {
    return this.#memory.hashes.of(item)
  }

  #shownBefore(session: Session, cell: number, cache: CacheState | undefined): ShownBefore {
    const { metadata, cells, compactions } = readSession(session)
    const base = this.#memory.macros.base(metadata, cells)
    const shown = this.#memory.history.before(cells, cell, { base, compactions, cache })
    return { shown, active: activeCompactions(compactions, cell), acts: compactions }
  }
}

function defined(counts: {
  readonly shortened: number | undefined
  readonly rewrittenFrom: number | undefined
}): Pick<AssembledContext, 'shortened' | 'rewrittenFrom'> {
  const { shortened, rewrittenFrom } = counts
  return {
    ...(shortened !== undefined && { shortened }),
    ...(rewrittenFrom !== undefined && { rewrittenFrom }),
  }
}

interface ShownBefore {
  readonly shown: HistoryPrefix
  readonly active: readonly Compaction[]
  readonly acts: readonly CompactionAct[]
}

function uniqueWarnings(sources: readonly { readonly warnings: readonly Warning[] }[]): Warning[] {
  const unique = new Map<string, Warning>()
  for (const { warnings } of sources)
    for (const warning of warnings)
      unique.set(`${warning.source}:${warning.line}:${warning.column}:${warning.message}`, warning)
  return [...unique.values()]
}
