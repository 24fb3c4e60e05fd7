import { type ConversationMemory, PromptMemory } from './conversation/converse.js'
import { HistoryMemory } from './conversation/history-memory.js'
import { AllowedUris } from './conversation/identity.js'
import { SessionMacros } from './conversation/session-macros.js'
import { ExpansionCache } from './documents/expansion-cache.js'
import { fingerprint } from './ground/fingerprint.js'
import type { World } from './ground/world.js'
import type { CollectMemory } from './items/collect.js'
import { StubMemory } from './items/fit.js'
import { type ItemContent, ItemContentCache } from './items/item-content.js'
import { GhostRenderer } from './request/ghost-block.js'
import type { LayoutMemory } from './request/lay-out.js'
import { MessageMemory } from './request/message-memory.js'
import { type SentResults, sentResults } from './sent-results/sent-results.js'

/**
 * Everything that an engine remembers from one build to the next, so that a build costs only what changed. Every part
 * of it is a cache: an engine without it builds the same bytes. Facts belong in the session instead.
 */
export interface EngineMemory extends ConversationMemory, CollectMemory, LayoutMemory {
  readonly stubs: StubMemory
  readonly hashes: ContentHashes
  readonly results: SentResults
}

export interface OwnInputs {
  /** Macros that the host defines. */
  readonly macros: Readonly<Record<string, string>>
  /** Folders, as URIs, that the user adds to those that a session may use. */
  readonly addedUris: readonly string[]
}

export function newMemory(
  { ports, settings, tokens, workspaceUris }: World,
  { macros, addedUris }: OwnInputs,
): EngineMemory {
  const results = sentResults(settings)
  return {
    allowed: new AllowedUris(workspaceUris, addedUris),
    macros: new SessionMacros(macros),
    history: new HistoryMemory(ports.reader.root, {
      settings,
      results,
      observation: ports.observation,
      summaries: { tokens, contextWindow: settings.contextWindow, ...settings.summaries },
    }),
    prompt: new PromptMemory(),
    contents: new ItemContentCache(),
    expansions: new ExpansionCache(),
    userExpansions: new ExpansionCache(),
    renderer: new GhostRenderer(settings.ghost.format, tokens),
    messages: new MessageMemory(),
    pieces: new WeakMap(),
    stubs: new StubMemory(),
    hashes: new ContentHashes(ports.hash ?? fingerprint),
    results,
  }
}

/** Hashes of contents as shown, each computed once. */
class ContentHashes {
  readonly #hash: (text: string) => string
  readonly #known = new WeakMap<ItemContent, string>()

  constructor(hash: (text: string) => string) {
    this.#hash = hash
  }

  of(item: ItemContent): string {
    return item.hash ?? this.ofText(item)
  }

  /** The hash of the text as it is sent, even if the hash of the file is known. */
  ofText(item: ItemContent): string {
    const known = this.#known.get(item)
    if (known !== undefined) return known
    const hash = this.#hash(item.content)
    this.#known.set(item, hash)
    return hash
  }
}
