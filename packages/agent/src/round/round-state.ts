import type { AssembledContext } from '@mutsumi/context'
import { type CacheState, type MessageTokens, nextTokens, unfinishedRecap } from '@mutsumi/context/parts'
import {
  type AgentMessage,
  type LayerTokens,
  type ModelRequest,
  type RecordedCall,
  type TokenUsage,
  textOf,
  toolNameOf,
  type Warning,
} from '@mutsumi/schema'
import type { Move } from '../protocol/protocol.js'
import type { AgentHost } from './agent-host.js'
import { countTools } from './count-tools.js'
import { believedUsage } from './usage-memory.js'

/** A result that the model sees now. */
export interface SeenResult {
  readonly call: RecordedCall
  readonly content: string
  /** The hash for Recall. */
  readonly observation: string
}

/** A running round: its prompt and all its steps so far, in full. */
export class RoundState {
  readonly id: string
  readonly cell: number
  readonly prompt: string
  /** Calls that were denied because a permission is missing, for the user. */
  denied: string | undefined
  readonly #host: AgentHost
  readonly #signal: AbortSignal
  readonly #scratchpad: AgentMessage[] = []
  #context: AssembledContext
  /** The recap of the newest todo list, of this round or of an earlier one, while it is unfinished. */
  #todo: string
  #requests = 0
  /** The context whose items are recorded. */
  #recordedContext: AssembledContext | undefined
  /** The state at the last check. */
  #cache: CacheState | undefined
  /** The current request and its size, built again only after a change. */
  #messages: readonly AgentMessage[] | undefined
  #estimate: number | undefined
  #toolTokens: number | undefined
  /** The layers that the round began with, counted once for each context. */
  #base: BaseLayers | undefined

  private constructor(
    prompt: string,
    { id, index }: { id: string; index: number },
    { host, signal, context }: { host: AgentHost; signal: AbortSignal; context: AssembledContext },
  ) {
    this.prompt = prompt
    this.id = id
    this.cell = index
    this.#host = host
    this.#signal = signal
    this.#context = context
    this.#todo = context.layers.todo
  }

  /** Records the user's message, which may be another try, and builds the beginning of the round's requests. */
  static async begin(prompt: string, host: AgentHost, signal: AbortSignal): Promise<RoundState> {
    const { log, mode, plan } = host
    await log.replaceTries(prompt)
    return RoundState.at(await log.cell(prompt, { mode: mode?.(), plan }), prompt, { host, signal })
  }

  /** Builds the same for a recorded cell. `isSent`: its requests are going to be sent. */
  static async at(
    cell: { readonly id: string; readonly index: number },
    prompt: string,
    {
      host,
      signal,
      isSent = true,
    }: { readonly host: AgentHost; readonly signal: AbortSignal; readonly isSent?: boolean },
  ): Promise<RoundState> {
    const cache = isSent ? host.cache.state : undefined
    if (isSent) await host.log.begins(cell.id, { mode: host.mode?.() ?? 'ask', plan: host.plan })
    const context = await assemble(prompt, cell.index, { host, signal, cache })
    if (context.mentioned.paths.length > 0) await host.log.mentioned(cell.id, context.mentioned)
    return new RoundState(prompt, cell, { host, signal, context })
  }

  get warnings(): readonly Warning[] {
    return this.#context.warnings
  }

  /** The beginning of the round's requests. */
  get context(): AssembledContext {
    return this.#context
  }

  /** Folders that tools may use. */
  get allowed(): readonly string[] {
    return this.#context.allowedUris
  }

  get scratchpad(): readonly AgentMessage[] {
    return this.#scratchpad
  }

  /** The step that comes next, from 1. */
  get step(): number {
    const last = this.#scratchpad.at(-1)?.metadata?.step
    return typeof last === 'number' ? last + 1 : 1
  }

  get todo(): string {
    return this.#todo
  }

  /**
   * The current request. The beginning of the round is built once, even if files change meanwhile, so each request
   * begins with the whole previous one.
   */
  messages(): readonly AgentMessage[] {
    this.#messages ??= this.#built()
    return this.#messages
  }

  /** The same with everything sent with the messages, as a model gets it. */
  request(): ModelRequest {
    const messages = this.messages()
    const { protocol, sampling } = this.#host
    return { ...protocol.request(messages), ...sampling, cacheAfter: this.#cacheAfter(messages) }
  }

  /** Its size with everything sent with it, counted once for each request. */
  get estimate(): number {
    this.#estimate ??= this.#weigh(this.messages())
    return this.#estimate
  }

  /** All counts of the request: our own, by layer, and the one that decides about compaction. */
  get size(): { readonly tokens: number; readonly weight: number; readonly layers: LayerTokens } {
    const { estimate } = this
    const { tokens } = this.#host
    this.#base ??= layersOf(this.#context, tokens)
    // Messages that a compaction inside the round shortened count as they are sent.
    const scratchpad = estimate - this.toolTokens - tokens.count(this.#sentTodo) - sumOf(this.#base)
    const layers = {
      ...this.#base,
      ...(this.#scratchpad.length > 0 ? { scratchpad: Math.max(0, scratchpad) } : {}),
      todo: tokens.count(this.#sentTodo),
      ...(this.toolTokens > 0 ? { tools: this.toolTokens } : {}),
    }
    return { tokens: estimate, weight: nextTokens(this.weight), layers }
  }

  /** Tokens of the tools that are described beside the messages. */
  get toolTokens(): number {
    this.#toolTokens ??= countTools(this.#host.protocol.request([]).tools, this.#host.tokens)
    return this.#toolTokens
  }

  /** Whether the provider's cache is cold now but was not at the last check. */
  turnsCold(): boolean {
    const { state } = this.#host.cache
    const turns = state === 'cold' && this.#cache !== 'cold'
    this.#cache = state
    return turns
  }

  /** Builds the round again after its history changed: after a compaction, or if the provider's cache is cold. */
  async rebuild(): Promise<void> {
    const { prompt, cell } = this
    this.#context = await assemble(prompt, cell, {
      host: this.#host,
      signal: this.#signal,
      cache: 'cold',
      scratchpad: this.#scratchpad,
      todo: this.#todo,
    })
    this.#base = undefined
    this.#changed()
  }

  nextRequest(): number {
    return ++this.#requests
  }

  /** Records the provider's count for the request `messages`. */
  used(usage: TokenUsage, messages: readonly AgentMessage[]): void {
    const estimate = messages === this.#messages ? this.estimate : this.#weigh(messages)
    const window = this.#host.engine.settings.contextWindow
    this.#host.usage.counted(believedUsage(usage, { estimate, window }), estimate)
  }

  /** The numbers for the trigger: the provider's newest count, and the estimate since then. */
  get weight(): { lastUsage: number | undefined; newTokens: number; estimate: number; messages: number } {
    const { estimate } = this
    return { ...this.#host.usage.weigh(estimate), estimate, messages: this.messages().length }
  }

  /** Adds a reply that could not be understood, and the error message for the model. */
  async malformed(step: number, { content, problem }: Extract<Move, { kind: 'malformed' }>): Promise<void> {
    if (content !== '') {
      const notRun = 'malformed'
      await this.#host.log.step(this.id, step, { content, notRun })
      this.#say({ role: 'assistant', content, metadata: { step, not_run: notRun } })
    }
    this.#scratchpad.push({ role: 'user', content: problem, metadata: { step } })
    this.#changed()
  }

  /** Adds a message from the user to the running round. Resolves after it is recorded. */
  async steer(text: string): Promise<void> {
    const step = this.step - 1
    this.#scratchpad.push({ role: 'user', content: text, metadata: { step, steered: true } })
    this.#changed()
    await this.#host.log.steer(this.id, step, text)
  }

  /** Adds a step with the results of all its calls. */
  add(
    step: number,
    { content, calls }: Extract<Move, { kind: 'calls' }>,
    results: readonly SeenResult[],
  ): void {
    this.#say({ role: 'assistant', content, metadata: { step, calls } })
    for (const { call, content: seen, observation } of results)
      this.#scratchpad.push({
        role: 'tool',
        content: seen,
        metadata: { step, tool_name: call.name, call_id: call.id, observation },
      })
    this.#changed()
  }

  /** The reply that ends the round is part of the next one's requests. */
  ended(content: string): void {
    this.#host.usage.kept(this.#host.tokens.of({ role: 'assistant', content }))
  }

  /** The list was replaced. */
  remember(recap: string): void {
    this.#todo = unfinishedRecap(recap)
    this.#changed()
  }

  /** The items that the message brought. Returned once per context. */
  takeBrought(): AssembledContext['brought'] {
    if (this.#recordedContext === this.#context) return undefined
    this.#recordedContext = this.#context
    return this.#context.brought
  }

  readonly recordedOf = (message: AgentMessage) => this.#host.engine.recorded(message)

  readonly piecesOf = (message: AgentMessage): readonly string[] | undefined => {
    const { user, ghost } = this.#context.layers
    const { engine } = this.#host
    if (message.role !== 'user' || typeof message.content !== 'string' || typeof user !== 'string')
      return undefined
    const block = ghost.at(-1) ?? ''
    if (message.content !== user + block) return engine.piecesOf(message)
    return [user, ...(this.#context.brought?.pieces ?? engine.piecesOfBlock(block, this.#context.items))]
  }

  /**
   * Cache marks: after the system messages, after the message before the first rewritten one, and after the newest
   * message that will not change. At most four.
   */
  #cacheAfter(messages: readonly AgentMessage[]): readonly number[] {
    const { layers, rewrittenFrom } = this.#context
    const rules = [layers.L1, layers.L2].filter((text) => text.trim() !== '').length
    const unchanged = rewrittenFrom === undefined ? [] : [rules + rewrittenFrom - 1]
    const last = messages.length - 1 - (this.#sentTodo === '' ? 0 : 1)
    const marks = [...Array(rules).keys(), ...unchanged, last]
    return [...new Set(marks)].filter((position) => position >= 0)
  }

  #weigh(messages: readonly AgentMessage[]): number {
    return this.#host.tokens.total(messages) + this.toolTokens
  }

  #say(reply: AgentMessage): void {
    this.#scratchpad.push(reply)
    this.#host.usage.kept(this.#host.tokens.of(reply))
  }

  #changed(): void {
    this.#messages = undefined
    this.#estimate = undefined
  }

  /** The recap. A request that ends with the list's own result says it already. */
  get #sentTodo(): string {
    const last = this.#scratchpad.at(-1)
    if (last?.role !== 'tool' || toolNameOf(last) !== 'TodoWrite') return this.#todo
    return textOf(this.#host.engine.sent(last)) === this.#todo ? '' : this.#todo
  }

  #built(): readonly AgentMessage[] {
    const { messages, layers } = this.#context
    // Messages that a compaction inside the round shortened stay shortened; later ones follow in full.
    const since = this.#scratchpad
      .slice(layers.scratchpad.length)
      .map((message) => this.#host.engine.sent(message))
    const todo: AgentMessage[] = this.#sentTodo === '' ? [] : [{ role: 'system', content: this.#sentTodo }]
    const before = layers.todo === '' ? messages : messages.slice(0, -1)
    return [...before, ...since, ...todo]
  }
}

async function assemble(
  prompt: string,
  cell: number,
  {
    host,
    signal,
    cache,
    scratchpad = [],
    todo,
  }: {
    host: AgentHost
    signal: AbortSignal
    cache: CacheState | undefined
    scratchpad?: readonly AgentMessage[]
    todo?: string
  },
): Promise<AssembledContext> {
  const { log, engine, dryRun = false } = host
  const context = await engine.assemble(log.session, cell, prompt, {
    ...{ signal, dryRun, ...(cache && { cache }) },
    scratchpad: [...scratchpad],
    ...(todo === undefined ? {} : { todo }),
  })
  await log.metadata(context.metadata)
  for (const { content, stub, dropped } of context.items)
    if (isFile(content) && !stub && !dropped && !content.error) host.shown?.(content.key, context.allowedUris)
  return context
}

type BaseLayers = Pick<LayerTokens, 'L1' | 'L2' | 'L3' | 'user' | 'ghost'>

function layersOf({ layers }: AssembledContext, tokens: MessageTokens): BaseLayers {
  return {
    L1: tokens.count(layers.L1),
    L2: tokens.count(layers.L2),
    L3: tokens.total(layers.L3),
    user: tokens.of({ role: 'user', content: layers.user }),
    ghost: layers.ghost.reduce((sum, block) => sum + tokens.count(block), 0),
  }
}

function sumOf(layers: BaseLayers): number {
  return Object.values(layers).reduce((sum, tokens) => sum + tokens, 0)
}

/** A rule with a path is a folder's own rules file, as it is on disk. */
function isFile({ type, key }: AssembledContext['items'][number]['content']): boolean {
  return type === 'file' || (type === 'rule' && key.includes('/'))
}
