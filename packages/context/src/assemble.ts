import type { AgentMessage, AgentMetadata, Compaction, Session, Warning } from '@mutsumi/schema'
import { HistoryMemory, type HistoryPrefix } from './collect/history-memory.js'
import { type Identity, identify, narrowed } from './collect/identity.js'
import { type ItemContent, ItemContentCache, type PlacedItem } from './collect/item-content.js'
import { collectItems } from './collect/items.js'
import { type PromptReading, readPrompt } from './collect/mentions.js'
import { Reminders } from './collect/reminders.js'
import { collectRules } from './collect/rules.js'
import { otherRecords, readSavedItems, savedItems } from './collect/saved-items.js'
import { readSession } from './collect/session.js'
import { SessionMacros } from './collect/session-macros.js'
import { standingMentions } from './collect/standing-mentions.js'
import { type HistoryReport, reportHistory } from './compact/history-report.js'
import { type CompactionPlan, type NothingToCompact, planCompaction, type TooLarge } from './compact/plan.js'
import { requestSizes } from './compact/request-sizes.js'
import { standingCompactions } from './compact/standing-compactions.js'
import { Expander } from './expand/expander.js'
import { ExpansionCache } from './expand/expansion-cache.js'
import type { MacroContext } from './expand/macro-context.js'
import { fingerprint } from './fingerprint.js'
import { applyDecisions, foldActs } from './fit/acts.js'
import { type FittedItems, fitItems, stubText } from './fit/budget.js'
import { MessageMemory } from './layer/message-memory.js'
import { projectRulesText, readProjectRules } from './layer/project-rules.js'
import { SentPictures } from './layer/sent-pictures.js'
import { getSystemPrompt } from './layer/system-prompt.js'
import { layUserMessages } from './layer/user-messages.js'
import { withoutTags } from './layer/without-tags.js'
import { toFileUri } from './parse/file-uri.js'
import { lengthTokenCounter, type Ports, type TokenCounter } from './ports.js'
import {
  type PlacedBlocks,
  type Placement,
  placeNewest,
  VersionedPlacement,
} from './render/block-placement.js'
import { GhostRenderer } from './render/ghost-block.js'
import { newRewriter } from './rounds/new-rewriter.js'
import { type ContextSettings, defaultSettings } from './settings.js'

export interface EngineOptions {
  readonly settings?: ContextSettings
  /** The user trusts this workspace: its files may call read-only tools. */
  readonly trusted?: boolean
  /** Macros of the host's own, such as the command line's: cells may override them. */
  readonly macros?: Readonly<Record<string, string>>
}

export interface AssembleOptions {
  /** A preview: nothing with side effects runs. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  /** What this round has said and done so far: it stands behind the user's message. */
  readonly scratchpad?: readonly AgentMessage[]
  /** The todo list in one line: the last thing a model reads. */
  readonly todo?: string
}

export interface PlanOptions extends AssembleOptions {
  /** Where the model takes less than is set. */
  readonly window?: number
  /** Tokens of the tools that are described beside the messages. */
  readonly tools?: number
}

/** A request, whole and taken apart. */
export interface AssembledContext {
  readonly messages: readonly AgentMessage[]
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
  /** The same request by layer, the ghost blocks apart from the texts they stand behind. */
  readonly layers: {
    readonly L1: string
    readonly L2: string
    readonly L3: readonly AgentMessage[]
    readonly user: AgentMessage['content']
    readonly ghost: readonly string[]
    readonly scratchpad: readonly AgentMessage[]
    readonly todo: string
  }
  readonly items: readonly AssembledItem[]
  readonly warnings: readonly Warning[]
  /** What the message carries behind the prompt, which files it mentions; the cell should keep it as `metadata.reminder`. */
  readonly reminder: string
  /** What the session should remember: its metadata with `contextItems` and `macroContext` renewed. */
  readonly metadata: AgentMetadata
}

export interface AssembledItem extends PlacedItem {
  readonly stub?: true
  readonly dropped?: true
}

/**
 * Turns a prompt, a session and a workspace into the exact request. An engine serves one session: it
 * remembers what it read and rendered, so that the next build costs what has changed.
 */
export class ContextEngine {
  readonly settings: ContextSettings
  readonly #ports: Ports
  readonly #trusted: boolean
  readonly #macros: SessionMacros
  readonly #history: HistoryMemory
  readonly #contents = new ItemContentCache()
  readonly #expansions = new ExpansionCache()
  readonly #renderer: GhostRenderer
  /** The stub of an item that the current cell mentions names another way out. */
  readonly #stubs = {
    mentioned: new WeakMap<ItemContent, ItemContent>(),
    earlier: new WeakMap<ItemContent, ItemContent>(),
  }
  readonly #hashes = new WeakMap<ItemContent, string>()
  readonly #messages = new MessageMemory()
  readonly #pictures = new SentPictures()
  readonly #reminders = new Reminders()
  readonly #versions: VersionedPlacement
  #prompt: CurrentPrompt | undefined
  readonly #defaultUris: readonly string[]

  constructor(
    ports: Ports,
    { settings = defaultSettings, trusted = false, macros = {} }: EngineOptions = {},
  ) {
    this.settings = settings
    this.#ports = ports
    this.#trusted = trusted
    this.#macros = new SessionMacros(macros)
    this.#history = new HistoryMemory(ports.reader.root, {
      newRewriter: () => newRewriter(settings, { tokens: this.tokens, observation: ports.observation }),
      summaries: { tokens: this.tokens, contextWindow: settings.contextWindow },
    })
    this.#renderer = new GhostRenderer(settings.ghost.format, this.tokens)
    this.#versions = new VersionedPlacement({
      renderer: this.#renderer,
      messages: this.#messages,
      budget: this.#ghostBudget,
      hashOf: (item) => this.hashOf(item),
    })
    this.#defaultUris = [toFileUri(ports.reader.root)]
  }

  get tokens(): TokenCounter {
    return this.#ports.tokens ?? lengthTokenCounter
  }

  /** A ghost block taken apart at its items: who records requests writes each of them once. */
  piecesOfBlock(block: string, items: readonly AssembledItem[]): readonly string[] {
    return this.#renderer.piecesOf(
      block,
      items.map(({ content }) => content),
    )
  }

  /** What an item adds to the ghost block. */
  tokensOf(item: ItemContent): number {
    return this.#renderer.tokensOf(item)
  }

  /** Builds the request that cell `cell` with the text `prompt` sends. Reads; changes nothing but its own memory. */
  async assemble(
    session: Session,
    cell: number,
    prompt: string,
    options: AssembleOptions = {},
  ): Promise<AssembledContext> {
    const { metadata, cells, acts, compactions } = readSession(session)
    const identity = identify(metadata, this.#defaultUris)
    const saved = readSavedItems(metadata)
    const base = this.#macros.base(metadata, cells)
    const history = this.#history.before(cells, cell, { base, compactions })
    const current = this.#readPrompt(prompt, history.macros)
    const { macros } = current
    const expander = this.#expander(identity.allowedUris, options)
    const decisions = foldActs(acts, this.#ports.reader.root)
    // Before the first await: another build may go on with the history meanwhile.
    const mentions = standingMentions(history, current, { cell, decisions })

    // Rules bind an agent whatever it may touch, so they are read with the workspace's own right.
    const host =
      identity.allowedUris === this.#defaultUris ? expander : this.#expander(this.#defaultUris, options)
    const rules = await collectRules(host, macros, this.#contents)
    const project = await readProjectRules(host.view, this.settings.projectRules)
    const cache = this.#contents
    const collection = await collectItems(mentions, { expander, macros, cache, currentCell: cell, saved })

    const decided = applyDecisions([...rules.items, ...collection.items], decisions, cell)
    const { inSystem, inGhost } = this.#placeRules(decided.kept)
    const fitted = this.#fit(inGhost, cell)
    const scope = this.#ports.reader.scope?.(identity.allowedUris) ?? identity.allowedUris
    const L1 = this.#systemPrompt({ ...identity, allowedUris: scope })
    const L2 = projectRulesText(
      project.files,
      inSystem.map(({ content }) => content),
    )

    const isVersioned = this.settings.ghost.placement === 'versioned'
    const { todo = '', scratchpad: steps = [] } = options
    const roundGoesOn = steps.length > 0
    const reminder = await this.#reminders.behind({ prompt, cell, cells, roundGoesOn }, expander.view)
    const sent = prompt + reminder
    const texts = await layUserMessages(history, {
      prompt: sent,
      cell,
      items: fitted.items,
      view: expander.view,
      memory: this.#messages,
      webPictures: !identity.isSubAgent,
      ...(isVersioned ? { pictures: this.#pictures, roundGoesOn } : {}),
    })
    const scratchpad = this.#history.compacted.runningSteps(
      this.#history.view.running(steps),
      cell,
      standingCompactions(compactions, cell),
    )
    const ghost = this.#placeBlocks({
      ...{ texts, fitted, cells, cell, prompt, history, saved },
      dropped: decisions.dropped,
      roundGoesOn,
      sentCell: metadata.sentCell,
    })
    if (isVersioned && !options.dryRun) this.#pictures.remember(cell, sent, texts.user)
    if (!options.dryRun) this.#reminders.remember(cell, prompt, reminder)
    const records = savedItems(rules.items, collection)
    return {
      // Copied, not spread: a spread visits every message of a long history one by one.
      messages: systemMessages(L1, L2).concat(
        ghost.history,
        [{ role: 'user', content: ghost.user }],
        scratchpad,
        systemMessages(withoutTags(todo)),
      ),
      ...identity,
      layers: { L1, L2, L3: texts.history, user: texts.user, ghost: ghost.blocks, scratchpad, todo },
      items: [...inSystem, ...fitted.items, ...decided.dropped],
      reminder,
      warnings: uniqueWarnings([
        ...[current, rules, project, collection, decided, fitted, texts, ghost],
        narrowed(identity.allowedUris, scope),
      ]),
      metadata: {
        ...metadata,
        contextItems: [
          ...records,
          ...otherRecords({ hidden: history.hidden, cell }, { before: saved, now: records }),
          ...ghost.sent,
        ],
        ...(ghost.sentCell === undefined ? {} : { sentCell: ghost.sentCell }),
        ...this.#macros.stored(metadata, cells, macros),
      },
    }
  }

  /** What compacting the history would do to the request of this cell. */
  async planCompaction(
    session: Session,
    cell: number,
    prompt: string,
    { window = this.settings.contextWindow, tools = 0, ...options }: PlanOptions = {},
  ): Promise<CompactionPlan | NothingToCompact | TooLarge> {
    const { layers } = await this.assemble(session, cell, prompt, { ...options, dryRun: true })
    const { shown } = this.#shownBefore(session, cell)
    const { view, compacted } = this.#history
    const sizes = requestSizes({ ...layers, tools }, { view, compacted, shown }, this.tokens)
    return planCompaction(sizes, { ...this.settings, contextWindow: window })
  }

  /** What the history before this cell shows and keeps back. */
  reportHistory(session: Session, cell: number): HistoryReport {
    const { shown, standing } = this.#shownBefore(session, cell)
    return reportHistory({ view: this.#history.view, shown, compactions: standing }, this.tokens)
  }

  #shownBefore(session: Session, cell: number): { shown: HistoryPrefix; standing: readonly Compaction[] } {
    const { metadata, cells, compactions } = readSession(session)
    const base = this.#macros.base(metadata, cells)
    const shown = this.#history.before(cells, cell, { base, compactions })
    return { shown, standing: standingCompactions(compactions, cell) }
  }

  #placeRules(items: readonly PlacedItem[]): Record<'inSystem' | 'inGhost', readonly PlacedItem[]> {
    if (this.settings.rules.placement === 'ghost') return { inSystem: [], inGhost: items }
    const isRule = ({ content }: PlacedItem) => content.type === 'rule'
    return { inSystem: items.filter(isRule), inGhost: items.filter((item) => !isRule(item)) }
  }

  #placeBlocks(placement: Placement): PlacedBlocks {
    const versioned = this.settings.ghost.placement === 'versioned'
    return versioned ? this.#versions.place(placement) : placeNewest(placement, this.#renderer)
  }

  /** The steps of a round build on the same prompt again and again: it is read once. */
  #readPrompt(prompt: string, macrosBefore: MacroContext): CurrentPrompt {
    const known = this.#prompt
    if (known?.prompt === prompt && known.stateBefore === macrosBefore.stateKey) return known
    const macros = macrosBefore.copy()
    const reading = readPrompt(prompt, macros, { source: 'prompt', root: this.#ports.reader.root })
    this.#prompt = { prompt, stateBefore: macrosBefore.stateKey, macros, ...reading }
    return this.#prompt
  }

  #expander(allowed: readonly string[], { dryRun = false, signal }: AssembleOptions): Expander {
    return new Expander({
      ports: this.#ports,
      limits: this.settings.limits,
      allowed,
      trusted: this.#trusted,
      dryRun,
      cache: this.#expansions,
      ...(signal ? { signal } : {}),
    })
  }

  #systemPrompt(identity: Identity): string {
    const toolPrompt = this.#ports.tools?.prompt
    return getSystemPrompt({ ...identity, ghost: this.settings.ghost, ...(toolPrompt ? { toolPrompt } : {}) })
  }

  #fit(items: readonly PlacedItem[], currentCell: number): FittedItems {
    return fitItems(items, {
      limit: this.#ghostBudget,
      frame: this.#renderer.frameTokens,
      tokensOf: (item) => this.#renderer.tokensOf(item),
      stubOf: (item, tokens, isCurrent) => this.#stubOf(item, tokens, isCurrent),
      currentCell,
    })
  }

  get #ghostBudget(): number {
    return Math.floor(this.settings.contextWindow * this.settings.ghost.budget)
  }

  /** Hash of an item's content as shown. */
  hashOf(item: ItemContent): string {
    if (item.hash !== undefined) return item.hash
    let hash = this.#hashes.get(item)
    if (hash === undefined) {
      hash = (this.#ports.hash ?? fingerprint)(item.content)
      this.#hashes.set(item, hash)
    }
    return hash
  }

  #stubOf(item: ItemContent, tokens: number, isCurrent: boolean): ItemContent {
    const stubs = isCurrent ? this.#stubs.mentioned : this.#stubs.earlier
    let stub = stubs.get(item)
    if (!stub) {
      const { id, type, key, tool, error } = item
      stub = {
        id,
        type,
        key,
        content: stubText(item, tokens, isCurrent),
        ...(tool ? { tool } : {}),
        ...(error ? { error } : {}),
      }
      stubs.set(item, stub)
    }
    return stub
  }
}

function systemMessages(...texts: readonly string[]): AgentMessage[] {
  return texts.filter((text) => text !== '').map((content) => ({ role: 'system', content }))
}

/** The prompt that is being built, and the macros behind it. */
interface CurrentPrompt extends PromptReading {
  readonly prompt: string
  readonly stateBefore: string
  readonly macros: MacroContext
}

function uniqueWarnings(sources: readonly { readonly warnings: readonly Warning[] }[]): Warning[] {
  const unique = new Map<string, Warning>()
  for (const { warnings } of sources)
    for (const warning of warnings)
      unique.set(`${warning.source}:${warning.line}:${warning.column}:${warning.message}`, warning)
  return [...unique.values()]
}
