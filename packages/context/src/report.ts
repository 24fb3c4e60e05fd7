import type { AgentMessage, LayerTokens, Warning } from '@mutsumi/schema'
import type { ContextEngine } from './assemble.js'
import { compactionThreshold } from './compaction/trigger.js'
import { countMessage, tokensPerImage } from './ground/token-estimate.js'
import { warningWords } from './ground/warning-words.js'
import type { AssembledItem } from './items/fit.js'
import type { AssembledContext } from './request/assembled-context.js'

export { type LayerTokens, tokensPerImage }

export interface ReportedItem {
  readonly type: 'rule' | 'file' | 'tool'
  readonly key: string
  /** The first cell that mentions it; null for rules and pins. */
  readonly cell: number | null
  /** UTF-8 bytes of the content. */
  readonly bytes: number
  readonly tokens: number
  readonly hash: string
  readonly truncated?: true
  readonly error?: true
  /** A picture: sent as a part of the user's message, not in the ghost block. */
  readonly image?: true
  readonly pinned?: true
  /** Left out because of the budget. */
  readonly stub?: true
  /** Left out by the user. */
  readonly dropped?: true
}

/** A request with its token counts, as printed by `mutsumi context --json`. */
export interface ContextReport {
  readonly messages: readonly AgentMessage[]
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
  readonly items: readonly ReportedItem[]
  /** The files of L2. `user:AGENTS.md` is the user's own. */
  readonly projectRules: readonly { readonly name: string; readonly tokens: number }[]
  readonly tokens: {
    readonly total: number
    readonly byLayer: LayerTokens
    readonly window: number
    readonly threshold: number
  }
  readonly warnings: readonly Warning[]
}

/** Counts a request by layer and item. `tools`: tokens of the tools that are described beside the messages. */
export function reportContext(
  context: AssembledContext,
  engine: ContextEngine,
  { tools = 0 }: { readonly tools?: number } = {},
): ContextReport {
  const { messages, allowedUris, isSubAgent, layers, warnings } = context
  const count = (text: string) => engine.tokens.count(text)
  const countAll = (all: readonly AgentMessage[]) =>
    all.reduce((sum, message) => sum + countMessage(message, engine.tokens), 0)
  const byLayer = {
    L1: count(layers.L1),
    L2: count(layers.L2),
    L3: countAll(layers.L3),
    user: countMessage({ role: 'user', content: layers.user }, engine.tokens),
    ghost: layers.ghost.reduce((sum, block) => sum + count(block), 0),
    ...(layers.scratchpad.length > 0 ? { scratchpad: countAll(layers.scratchpad) } : {}),
    todo: count(layers.todo),
    ...(tools > 0 ? { tools } : {}),
  }
  const total = Object.values(byLayer).reduce((sum, tokens) => sum + tokens, 0)
  const { contextWindow: window } = engine.settings
  const threshold = compactionThreshold(engine.settings)
  return {
    messages,
    allowedUris,
    isSubAgent,
    items: context.items.map((item) => reportItem(item, engine)),
    projectRules: context.projectRules.map(({ name, text }) => ({ name, tokens: count(text) })),
    tokens: { total, byLayer, window, threshold },
    warnings: total >= threshold ? [...warnings, overThreshold(total, threshold)] : warnings,
  }
}

function reportItem(item: AssembledItem, engine: ContextEngine): ReportedItem {
  const { content, cell, pinned, stub, dropped } = item
  const { type, key, truncated, error, image } = content
  return {
    type,
    key,
    cell: cell ?? null,
    bytes: image?.size ?? utf8Length(content.content),
    tokens: dropped ? 0 : image ? tokensPerImage : engine.tokensOf(content),
    hash: engine.hashOf(content),
    ...(truncated ? { truncated } : {}),
    ...(error ? { error } : {}),
    ...(image ? { image: true } : {}),
    ...(pinned ? { pinned } : {}),
    ...(stub ? { stub } : {}),
    ...(dropped ? { dropped } : {}),
  }
}

function overThreshold(total: number, threshold: number): Warning {
  return { code: 'over-threshold', ...warningWords('over-threshold', total, threshold), source: 'request' }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
