import type { AgentMessage, AgentMetadata, SavedItem, Session, Warning } from '@mutsumi/schema'
import {
  addMention,
  HistoryMemory,
  type HistoryPrefix,
  type StandingMention,
} from './collect/history-memory.js'
import { type ItemContent, ItemContentCache, type PlacedItem } from './collect/item-content.js'
import { collectItems } from './collect/items.js'
import { type PromptReading, readPrompt } from './collect/mentions.js'
import { collectRules } from './collect/rules.js'
import { readSavedItems, recordsBehind, savedItems } from './collect/saved-items.js'
import type { Expanded } from './expand/expanded.js'
import { Expander } from './expand/expander.js'
import type { MacroContext } from './expand/macro-context.js'
import { fingerprint } from './fingerprint.js'
import { applyDecisions, foldActs, type ItemDecisions } from './fit/acts.js'
import { type FittedItems, fitItems, stubText } from './fit/budget.js'
import { MessageMemory, withBlock } from './layer/message-memory.js'
import { projectRulesText, readProjectRules } from './layer/project-rules.js'
import { getSystemPrompt } from './layer/system-prompt.js'
import { layUserMessages, type UserMessages } from './layer/user-messages.js'
import { toFileUri } from './parse/file-uri.js'
import { parseReference } from './parse/reference.js'
import { lengthTokenCounter, type Ports, type TokenCounter } from './ports.js'
import { CellNames } from './render/cell-names.js'
import { GhostRenderer } from './render/ghost-block.js'
import { planVersions } from './render/versioned.js'
import { VersionedRenderer } from './render/versioned-renderer.js'
import { type ContextSettings, defaultSettings } from './settings.js'

export interface EngineOptions {
  readonly settings?: ContextSettings
  /** The user trusts this workspace: its files may call read-only tools. */
  readonly trusted?: boolean
}

export interface AssembleOptions {
  /** A preview: nothing with side effects runs. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
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
  }
  readonly items: readonly AssembledItem[]
  readonly warnings: readonly Warning[]
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
  readonly #history: HistoryMemory
  readonly #contents = new ItemContentCache()
  readonly #expansions = new Map<string, Expanded>()
  readonly #renderer: GhostRenderer
  readonly #stubs = new WeakMap<ItemContent, ItemContent>()
  readonly #hashes = new WeakMap<ItemContent, string>()
  readonly #cellNames = new CellNames()
  readonly #messages = new MessageMemory()
  readonly #versionedRenderer: VersionedRenderer
  #prompt: CurrentPrompt | undefined
  readonly #defaultUris: readonly string[]

  constructor(ports: Ports, { settings = defaultSettings, trusted = false }: EngineOptions = {}) {
    this.settings = settings
    this.#ports = ports
    this.#trusted = trusted
    this.#history = new HistoryMemory(ports.reader.root)
    this.#renderer = new GhostRenderer(settings.ghost.format, this.tokens)
    this.#versionedRenderer = new VersionedRenderer(this.#renderer)
    this.#defaultUris = [toFileUri(ports.reader.root)]
  }

  get tokens(): TokenCounter {
    return this.#ports.tokens ?? lengthTokenCounter
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
    const identity = identify(session, this.#defaultUris)
    const saved = readSavedItems(session.metadata)
    const { macroContext } = session.metadata
    const history = this.#history.before(session.cells, cell, { saved: macroContext ?? {}, prompt })
    const current = this.#readPrompt(prompt, history.macros)
    const { macros } = current
    const expander = this.#expander(identity.allowedUris, options)
    const decisions = foldActs(session.acts ?? [], this.#ports.reader.root)
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
    const fitted = this.#fit(inGhost)
    const L1 = this.#systemPrompt(identity)
    const L2 = projectRulesText(
      project.files,
      inSystem.map(({ content }) => content),
    )

    const texts = await layUserMessages(history, {
      prompt,
      cell,
      items: fitted.items,
      view: expander.view,
      memory: this.#messages,
    })
    const ghost = this.#placeBlocks(texts, fitted, { session, cell, prompt, history, saved })
    const records = savedItems(rules.items, collection)
    const system = [L1, L2]
      .filter((text) => text !== '')
      .map((content): AgentMessage => ({ role: 'system', content }))
    return {
      messages: system.concat(ghost.history, [{ role: 'user', content: ghost.user }]),
      ...identity,
      layers: { L1, L2, L3: texts.history, user: texts.user, ghost: ghost.blocks },
      items: [...inSystem, ...fitted.items, ...decided.dropped],
      warnings: uniqueWarnings([current, rules, project, collection, decided, fitted, texts, ghost]),
      metadata: {
        ...session.metadata,
        contextItems: [...records, ...recordsBehind(cell, { before: saved, now: records }), ...ghost.sent],
        macroContext: macros.getMacrosObject(),
      },
    }
  }

  #placeRules(items: readonly PlacedItem[]): Record<'inSystem' | 'inGhost', readonly PlacedItem[]> {
    if (this.settings.rules.placement === 'ghost') return { inSystem: [], inGhost: items }
    const isRule = ({ content }: PlacedItem) => content.type === 'rule'
    return { inSystem: items.filter(isRule), inGhost: items.filter((item) => !isRule(item)) }
  }

  #placeBlocks(texts: UserMessages, fitted: FittedItems, at: Place): PlacedBlocks {
    const items = fitted.items.map(({ content }) => content).filter(({ image }) => !image)
    if (this.settings.ghost.placement === 'versioned') return this.#placeVersioned(texts, fitted, items, at)
    const block = this.#renderer.render(items)
    const blocks = block === '' ? [] : [block]
    return { history: texts.history, user: withBlock(texts.user, block), blocks, sent: [], warnings: [] }
  }

  #placeVersioned(texts: UserMessages, fitted: FittedItems, wanted: ItemContent[], at: Place): PlacedBlocks {
    const { session, cell, prompt, history, saved } = at
    const id = session.cells[cell]?.metadata?.id
    const names = this.#cellNames.name(session.cells.slice(0, cell), { prompt, id })
    const plan = planVersions({
      wanted,
      stubs: new Set(fitted.items.filter(({ stub }) => stub).map(({ content }) => content.id)),
      hasRoomFor: (outdated) => this.#tokensOf([...wanted, ...outdated]) <= this.#ghostBudget,
      sent: saved,
      cells: names.before.map((name, index) => (carries(history, index) ? name : undefined)),
      currentCell: names.current,
      hashOf: (item) => this.hashOf(item),
    })
    const render = this.#versionedRenderer.renderer(plan)
    const messages = [...texts.history]
    const blocks: string[] = []
    plan.earlier.forEach((block, index) => {
      const position = block ? history.messageOf(index) : undefined
      const message = position === undefined ? undefined : messages[position]
      if (!block || position === undefined || !message) return
      const text = render(block)
      blocks.push(text)
      messages[position] = this.#messages.withBlock(message, text)
    })
    const newest = plan.newest ? render(plan.newest) : ''
    if (newest !== '') blocks.push(newest)
    const user = withBlock(texts.user, newest)
    return { history: messages, user, blocks, sent: plan.sent, warnings: removedWarnings(plan.removed) }
  }

  #tokensOf(items: readonly ItemContent[]): number {
    return items.reduce((sum, item) => sum + this.#renderer.tokensOf(item), 0)
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
    // Every macro state leaves its expansions behind; starting over now and then keeps the memory bounded.
    if (this.#expansions.size > 5000) this.#expansions.clear()
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

  #fit(items: readonly PlacedItem[]): FittedItems {
    return fitItems(items, {
      limit: this.#ghostBudget,
      frame: this.#renderer.frameTokens,
      tokensOf: (item) => this.#renderer.tokensOf(item),
      stubOf: (item, tokens) => this.#stubOf(item, tokens),
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

  #stubOf(item: ItemContent, tokens: number): ItemContent {
    let stub = this.#stubs.get(item)
    if (!stub) {
      const { id, type, key, tool, error } = item
      stub = {
        id,
        type,
        key,
        content: stubText(item, tokens),
        ...(tool ? { tool } : {}),
        ...(error ? { error } : {}),
      }
      this.#stubs.set(item, stub)
    }
    return stub
  }
}

interface Identity {
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
}

function identify({ metadata }: Session, defaultUris: readonly string[]): Identity {
  const allowedUris = readUris(metadata.allowed_uris ?? defaultUris)
  return { allowedUris, isSubAgent: Boolean(metadata.parent_agent_id) }
}

/** The list itself where it is one: readers know a list again. What else someone wrote there allows nothing. */
function readUris(allowed: unknown): readonly string[] {
  if (!Array.isArray(allowed)) return []
  const isText = (uri: unknown): uri is string => typeof uri === 'string'
  return allowed.every(isText) ? allowed : allowed.filter(isText)
}

/** The prompt that is being built, and the macros behind it. */
interface CurrentPrompt extends PromptReading {
  readonly prompt: string
  readonly stateBefore: string
  readonly macros: MacroContext
}

/** Where in a session a request stands. */
interface Place {
  readonly session: Session
  readonly cell: number
  readonly prompt: string
  readonly history: HistoryPrefix
  /** What the session remembers of earlier rounds. */
  readonly saved: readonly SavedItem[]
}

interface PlacedBlocks {
  readonly history: readonly AgentMessage[]
  readonly user: AgentMessage['content']
  readonly blocks: readonly string[]
  /** What versioned placement wants remembered. */
  readonly sent: readonly SavedItem[]
  readonly warnings: readonly Warning[]
}

/** The mentions of history, then the prompt's, then what is pinned without being mentioned. */
function standingMentions(
  history: HistoryPrefix,
  { mentions }: PromptReading,
  { cell, decisions }: { cell: number; decisions: ItemDecisions },
): Iterable<StandingMention> {
  const standing = new Map(history.mentions)
  for (const mention of mentions) addMention(standing, mention, cell)
  for (const id of decisions.pinned) {
    if (!id.startsWith('file:') || standing.has(id)) continue
    const reference = parseReference(id.slice(5))
    standing.set(id, { mention: { id, reference, source: 'pin', line: 1, column: 1 } })
  }
  return standing.values()
}

/** Whether a cell's message can carry a block: a user's that is not blank can. */
function carries({ messages, messageOf }: HistoryPrefix, cell: number): boolean {
  const position = messageOf(cell)
  return position !== undefined && messages[position]?.role === 'user'
}

/** Versions that hold no more stay only as long as the budget has room for them. */
function removedWarnings({ length }: readonly ItemContent[]): Warning[] {
  if (length === 0) return []
  const message = `${length} outdated versions are taken out of earlier messages to keep within ghost.budget`
  return [{ code: 'ghost-budget', message, source: 'ghost block' }]
}

function uniqueWarnings(sources: readonly { readonly warnings: readonly Warning[] }[]): Warning[] {
  const unique = new Map<string, Warning>()
  for (const { warnings } of sources)
    for (const warning of warnings)
      unique.set(`${warning.source}:${warning.line}:${warning.column}:${warning.message}`, warning)
  return [...unique.values()]
}
