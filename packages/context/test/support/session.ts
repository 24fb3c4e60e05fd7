import {
  type AgentMessage,
  type ItemAct,
  type Session,
  type SessionCell,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
  textOf,
} from '@mutsumi/schema'
import {
  type AssembledContext,
  type AssembleOptions,
  ContextEngine,
  type ContextSettings,
  defaultSettings,
  type EngineOptions,
  type GhostBlock,
  type Ports,
  parseGhostBlock,
  type ToolRunner,
} from './engine.js'
import { type MemoryWorkspace, portsOf } from './memory-workspace.js'

/** Settings that differ from the defaults only in what a test names. */
export function settingsWith(
  change: {
    readonly [Name in keyof ContextSettings]?: ContextSettings[Name] extends readonly unknown[]
      ? ContextSettings[Name]
      : Partial<ContextSettings[Name]>
  },
): ContextSettings {
  return {
    ...defaultSettings,
    ...change,
    ghost: { ...defaultSettings.ghost, ...change.ghost },
    rules: { ...defaultSettings.rules, ...change.rules },
    limits: { ...defaultSettings.limits, ...change.limits },
    history: { ...defaultSettings.history, ...change.history },
  } as ContextSettings
}

export const raw = settingsWith({ ghost: { format: 'raw' } })

/** A cell with what a person wrote, and the agent's answer to it. */
export function userCell(content: string, answer?: string): SessionCell {
  if (answer === undefined) return { content }
  return { content, metadata: { mutsumi_interaction: [{ role: 'assistant', content: answer }] } }
}

export function sessionOf(...cells: readonly (string | SessionCell)[]): Session {
  return { metadata: {}, cells: cells.map((cell) => (typeof cell === 'string' ? userCell(cell) : cell)) }
}

/** A host's use of a session: ask, remember, resume. */
export class Conversation {
  session: Session = sessionOf()
  engine: ContextEngine
  readonly #ports: Ports
  readonly #options: EngineOptions

  constructor(ports: Ports | MemoryWorkspace, options: EngineOptions = {}) {
    this.#ports = 'reader' in ports ? ports : portsOf(ports)
    this.#options = options
    this.engine = new ContextEngine(this.#ports, options)
  }

  /** The request of one more round; the session is left as it is. */
  preview(prompt: string, options?: AssembleOptions): Promise<AssembledContext> {
    return this.engine.assemble(this.session, this.session.cells.length, prompt, options)
  }

  /** One more round: its request is built and remembered, its cell and the answer are appended. */
  async ask(prompt: string, answer = 'ok'): Promise<AssembledContext> {
    const context = await this.preview(prompt)
    this.session.metadata = context.metadata
    this.#replaceCells([...this.session.cells, userCell(prompt, answer)])
    return context
  }

  /** Runs a cell again that is already there. */
  async rerun(cell: number): Promise<AssembledContext> {
    const context = await this.engine.assemble(this.session, cell, this.session.cells[cell]?.content ?? '')
    this.session.metadata = context.metadata
    return context
  }

  /** Closes the session and opens it again, as another process would. */
  resume(): void {
    this.session = throughJson(this.session)
    this.engine = new ContextEngine(this.#ports, this.#options)
  }

  act(...acts: readonly ItemAct[]): void {
    this.session = { ...this.session, acts: [...(this.session.acts ?? []), ...acts] }
  }

  deleteCell(index: number): void {
    this.#replaceCells(this.session.cells.filter((_, at) => at !== index))
  }

  editCell(index: number, content: string): void {
    this.#replaceCells(this.session.cells.map((cell, at) => (at === index ? { ...cell, content } : cell)))
  }

  insertCell(index: number, cell: SessionCell): void {
    this.#replaceCells([...this.session.cells.slice(0, index), cell, ...this.session.cells.slice(index)])
  }

  #replaceCells(cells: readonly SessionCell[]): void {
    this.session = { ...this.session, cells }
  }
}

/** One whose ghost blocks are JSON alone, as the design documents write them. */
export class JsonConversation extends Conversation {
  constructor(ports: Ports | MemoryWorkspace, options: EngineOptions = {}) {
    super(ports, { settings: settingsWith({ ghost: { format: 'json' } }), ...options })
  }
}

export function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}

/** Tools that count: `calls` holds every call that really ran. */
export class CountingTools implements ToolRunner {
  readonly calls: ToolCall[] = []
  readonly #answer: (call: ToolCall, count: number) => string | { readonly error: string }
  readonly #effect: ToolEffect
  readonly prompt?: string

  constructor(
    answer: (call: ToolCall, count: number) => string | { readonly error: string },
    { effect = 'read', prompt }: { effect?: ToolEffect; prompt?: string } = {},
  ) {
    this.#answer = answer
    this.#effect = effect
    if (prompt !== undefined) this.prompt = prompt
  }

  effectOf(): ToolEffect {
    return this.#effect
  }

  async run(call: ToolCall): Promise<ToolResult> {
    this.calls.push(call)
    const answer = this.#answer(call, this.calls.length)
    const base = { data: {}, stats: { time_ms: 0 }, context: { cwd: '/ws', params_input: call.args } }
    if (typeof answer === 'string') return { ...base, status: 'success', text: answer }
    const error = { code: 'EXECUTION_ERROR', message: answer.error } as const
    return { ...base, status: 'error', text: answer.error, error }
  }
}

/** The newest message: what the model answers to. */
export function newest({ messages }: { readonly messages: readonly AgentMessage[] }): AgentMessage {
  const message = messages.at(-1)
  if (!message) throw new Error('a request without messages')
  return message
}

/** The text of the newest message, whose end the ghost block is. */
export function newestText(context: { readonly messages: readonly AgentMessage[] }): string {
  return textOf(newest(context))
}

/** The block of the newest message, read back by the engine's own reader. */
export function ghostOf(context: { readonly messages: readonly AgentMessage[] }): GhostBlock {
  const block = parseGhostBlock(newestText(context))
  if (!block) throw new Error(`no ghost block in ${JSON.stringify(newestText(context))}`)
  return block
}

/** The block; where it is JSON alone, read by nothing but the shape that G1 promises. */
export function ghostJson(context: { readonly messages: readonly AgentMessage[] }) {
  const text = newestText(context)
  const opening = '\n\n<content_reference>\n'
  const closing = '\n</content_reference>'
  const start = text.lastIndexOf(opening)
  if (start === -1 || !text.endsWith(closing)) throw new Error(`no ghost block in ${JSON.stringify(text)}`)
  const inside = text.slice(start + opening.length, -closing.length)
  // Contents verbatim below the JSON: the engine's own reader puts them back.
  const block = inside.includes('\n') ? parseGhostBlock(text) : JSON.parse(inside)
  return block as {
    rules: { name: string; content: string }[]
    files: Record<string, string>
    tools: { name: string; args: unknown; result: string }[]
  }
}

/** Messages as the wire sees them, one string each. */
export function wire(context: { readonly messages: readonly AgentMessage[] }): string[] {
  return context.messages.map((message) => JSON.stringify(message))
}

export function warningsOf(context: AssembledContext, code: string): string[] {
  return context.warnings.filter((warning) => warning.code === code).map(({ message }) => message)
}
