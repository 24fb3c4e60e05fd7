import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ContextEngine, type ContextSettings, defaultSettings } from '@mutsumi/context'
import { MessageTokens, sentResults } from '@mutsumi/context/parts'
import type { AgentEvent, Model, ModelEvent, ModelRequest, PromptCache } from '@mutsumi/schema'
import { createSession, openSession, type SessionFile } from '@mutsumi/session/node'
import {
  builtInTools,
  createSessionMemory,
  createToolRunner,
  hashText,
  PermissionGate,
  parsePermissionRules,
  Workspace,
} from '@mutsumi/tools'
import { markAsRead } from '@mutsumi/tools/parts'
import { onTestFinished } from 'vitest'
import type { Protocol } from '../../src/protocol/protocol.js'
import { reactProtocol } from '../../src/protocol/react.js'
import { RecordedTimes } from '../../src/recorded-times.js'
import type { AgentHost } from '../../src/round/agent-host.js'
import { RecordedCache } from '../../src/round/recorded-cache.js'
import { resumedCount } from '../../src/round/resumed-count.js'
import { runRound } from '../../src/round/run-round.js'
import { SessionLog } from '../../src/round/session-log.js'
import { UsageMemory } from '../../src/round/usage-memory.js'
import { SessionObservations } from '../../src/session-observations.js'

/** A reply of a model that a test plays: a text, or events. */
export type Played =
  | string
  | readonly ModelEvent[]
  /** A text that takes its time. */
  | { readonly during: () => Promise<void>; readonly say: string }
  | ((request: ModelRequest) => string | readonly ModelEvent[])

/** A model that plays given replies and remembers its requests. */
export class PlayedModel implements Model {
  readonly name = 'played'
  readonly callsTools = false
  readonly cache: PromptCache
  readonly requests: ModelRequest[] = []
  readonly #replies: Played[]

  /** Without a prompt cache where nothing else is said. */
  constructor(replies: readonly Played[], { cache = { minutes: 0 } }: { readonly cache?: PromptCache } = {}) {
    this.#replies = [...replies]
    this.cache = cache
  }

  async *stream(
    request: ModelRequest,
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<ModelEvent> {
    this.requests.push(request)
    const reply = this.#replies.shift()
    if (reply === undefined) throw new Error(`no reply left for request ${this.requests.length}`)
    if (typeof reply === 'object' && 'during' in reply) await reply.during()
    const played = typeof reply === 'object' && 'during' in reply ? reply.say : reply
    const said = typeof played === 'function' ? played(request) : played
    if (typeof said !== 'string') {
      for (const event of said) yield event
      return
    }
    for (const piece of said.match(/.{1,7}/gsu) ?? []) {
      if (signal?.aborted) break
      yield { type: 'text', text: piece }
    }
    yield { type: 'end', reason: 'stop' }
  }
}

export interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly settings?: ContextSettings
  readonly protocol?: Protocol
  /** Permission rules, such as `Edit(*.ts)`. */
  readonly allow?: readonly string[]
  readonly limits?: AgentHost['limits']
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** A workspace, a session on disk and an agent in it; gone at the end of the test. */
export class World {
  readonly root: string
  readonly path: string
  #file: SessionFile | undefined
  /** As long as the process lives: `reopen` begins a new one. */
  #usage: UsageMemory | undefined
  readonly #options: WorldOptions

  private constructor(root: string, options: WorldOptions) {
    this.root = root
    this.path = join(root, '.mutsumi', 'sessions', 'test.mtm')
    this.#options = options
    for (const [name, content] of Object.entries(options.files ?? {})) this.write(name, content)
  }

  static open(options: WorldOptions = {}): World {
    return new World(mkdtempSync(join(tmpdir(), 'mutsumi-agent-')), options)
  }

  write(name: string, content: string): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true })
    writeFileSync(join(this.root, name), content)
  }

  async file(): Promise<SessionFile> {
    if (this.#file) return this.#file
    const opening = await openSession(this.path)
    const opened = opening.kind === 'opened' ? opening : await createSession(this.path)
    if (opened.kind !== 'opened') throw new Error(JSON.stringify(opened))
    this.#file = opened.file
    return opened.file
  }

  async host(model: Model): Promise<AgentHost> {
    const { settings = defaultSettings, protocol = reactProtocol, allow = [], limits, now } = this.#options
    const file = await this.file()
    const workspace = new Workspace({ root: this.root })
    const times = new RecordedTimes(file)
    const observations = new SessionObservations(file, (result) => sentResults(settings).text(result))
    const memory = createSessionMemory({ recordedTime: (path) => times.of(path), observations })
    const rules = parsePermissionRules(allow.join(',')).flatMap((parsed) =>
      parsed.kind === 'rule' ? [parsed.rule] : [],
    )
    const gate = new PermissionGate({ root: this.root, rules: [{ allow: rules, deny: [] }] })
    const tools = createToolRunner({ workspace, tools: builtInTools(), permit: gate.permit, memory })
    const prompt = `${protocol.prompt}\n\n${tools.prompt}`
    const lent = { effectOf: tools.effectOf, run: tools.run, prompt }
    const observation = (hash: string) => observations.stored(hash)
    const ports = { reader: workspace, tools: lent, hash: hashText, observation }
    const engine = new ContextEngine(ports, { settings })
    const tokens = new MessageTokens(engine.tokens)
    this.#usage ??= new UsageMemory({ resumed: resumedCount(file, { settings, tokens }) })
    return {
      log: new SessionLog(file, protocol.name),
      engine,
      tokens,
      usage: this.#usage,
      model,
      cache: new RecordedCache(file, { model, settings, ...(now && { now }) }),
      protocol,
      tools: lent,
      shown: (key) =>
        void markAsRead(join(this.root, key), { workspace, allowed: [this.root], files: memory.files }),
      ...(limits ? { limits } : {}),
    }
  }

  /** Asks, and answers with everything that happened. */
  async ask(prompt: string, replies: readonly Played[] | Model, signal?: AbortSignal): Promise<Happened> {
    const model = 'stream' in replies ? replies : new PlayedModel(replies)
    const events: AgentEvent[] = []
    for await (const event of runRound(prompt, await this.host(model), signal)) events.push(event)
    return new Happened(events, model instanceof PlayedModel ? model.requests : [])
  }

  /** Closes the session as the end of a process would, for the next one to open it. */
  async reopen(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    this.#usage = undefined
  }

  async close(): Promise<void> {
    await this.reopen()
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** A world that is closed at the end of its test. */
export function world(options: WorldOptions = {}): World {
  const opened = World.open(options)
  onTestFinished(() => opened.close())
  return opened
}

export class Happened {
  constructor(
    readonly events: readonly AgentEvent[],
    readonly requests: readonly ModelRequest[],
  ) {}

  get end(): Extract<AgentEvent, { type: 'round-end' }> {
    const last = this.events.at(-1)
    if (last?.type !== 'round-end') throw new Error(`the last event is ${JSON.stringify(last)}`)
    return last
  }

  of<Type extends AgentEvent['type']>(type: Type): Extract<AgentEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type)
  }

  /** The text that the model saw last. */
  lastSeen(request = -1): string {
    const content = this.requests.at(request)?.messages.at(-1)?.content
    return typeof content === 'string' ? content : JSON.stringify(content)
  }
}
