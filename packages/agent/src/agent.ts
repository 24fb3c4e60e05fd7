import {
  ContextEngine,
  type ContextSettings,
  defaultSettings,
  MessageTokens,
  openTokenCounter,
  type TokenCounter,
  type ToolRunner,
} from '@mutsumi/context'
import type { AgentEvent, Model, ToolCall } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import {
  createSessionMemory,
  createToolRunner,
  hashText,
  type LazyTool,
  markAsRead,
  type PermissionGate,
  type Tool,
  type Workspace,
  type WorkspaceToolRunner,
} from '@mutsumi/tools'
import { describeTools } from './describe-tools.js'
import { nativeProtocol } from './protocol/native.js'
import type { Protocol } from './protocol/protocol.js'
import { reactProtocol } from './protocol/react.js'
import type { AgentHost, AgentLimits } from './round/agent-host.js'
import { EventChannel } from './round/event-channel.js'
import { resumedCount } from './round/resumed-count.js'
import { runRound } from './round/run-round.js'
import { SessionLog } from './round/session-log.js'
import { UsageMemory } from './round/usage-memory.js'
import { SessionObservations } from './session-observations.js'
import { SubAgentSlots } from './task/sub-agent-slots.js'
import { taskDescription } from './task/task-description.js'
import type { Tracing } from './tracing.js'

export interface AgentOptions {
  /** Open for writing; whoever opened it closes it. */
  readonly session: SessionFile
  readonly workspace: Workspace
  readonly model: Model
  readonly summaryModel?: Model
  readonly tools: readonly (Tool | LazyTool)[]
  readonly gate: PermissionGate
  readonly protocol?: 'react' | 'native'
  readonly settings?: ContextSettings
  readonly tokens?: TokenCounter
  readonly trusted?: boolean
  readonly macros?: Readonly<Record<string, string>>
  readonly limits?: AgentLimits
  readonly tracing?: Tracing
}

/** An agent at work in one session: `run` is one round of it. */
export class Agent {
  readonly #host: AgentHost
  readonly #workspace: Workspace
  readonly #events: EventChannel
  readonly #subAgents: ReadonlySet<Promise<unknown>>
  readonly #slots: SubAgentSlots
  readonly #traced: AgentParts['traced']

  private constructor(host: AgentHost, { workspace, events, subAgents, slots, traced }: AgentParts) {
    this.#host = host
    this.#workspace = workspace
    this.#events = events
    this.#subAgents = subAgents
    this.#slots = slots
    this.#traced = traced
  }

  static async open(options: AgentOptions): Promise<Agent> {
    const {
      session,
      workspace,
      tools,
      gate,
      settings = defaultSettings,
      trusted = false,
      macros = {},
    } = options
    const events = new EventChannel()
    const running = new Set<Promise<unknown>>()
    const slots = new SubAgentSlots()
    const offered =
      options.limits?.subAgents === false ? tools : [...tools, taskTool(options, { events, running, slots })]
    const protocol = await protocolOf(options.protocol, offered)
    const memory = createSessionMemory({ observations: new SessionObservations(session) })
    const runner = createToolRunner({
      workspace,
      tools: offered,
      permit: gate.permit,
      memory,
      onEvent: (call, { text }) => events.push({ type: 'tool-output', call: idOf(call) ?? call.name, text }),
    })
    // With native calls the tools describe themselves beside the messages.
    const prompt = protocol.prompt === '' ? '' : `${protocol.prompt.trim()}\n\n${runner.prompt}`
    const lent = { effectOf: runner.effectOf, run: tracedRun(runner, options.tracing), prompt }
    const observations = memory.observations
    const ports = {
      reader: workspace,
      tools: lent,
      hash: hashText,
      observation: (id: string) => observations.find(id),
      tokens: options.tokens ?? (await openTokenCounter(settings, options.model.name)),
    }
    const engine = new ContextEngine(ports, { settings, trusted, macros })
    const tokens = new MessageTokens(engine.tokens)
    const host: AgentHost = {
      log: new SessionLog(session),
      engine,
      tokens,
      usage: new UsageMemory({
        calibrated: settings.tokens.estimator === 'tokenizer',
        last: resumedCount(session, { settings, tokens }),
      }),
      model: options.model,
      ...(options.summaryModel ? { summaryModel: options.summaryModel } : {}),
      protocol,
      tools: lent,
      events,
      shown: (key, allowed) =>
        void markAsRead(`${workspace.root}/${key}`, { workspace, allowed, files: memory.files }),
      ...(options.limits ? { limits: options.limits } : {}),
    }
    const about = { session: session.header.id, model: options.model.name }
    const traced: AgentParts['traced'] = (round) => options.tracing?.round(about, round) ?? round
    return new Agent(host, { workspace, events, subAgents: running, slots, traced })
  }

  get root(): string {
    return this.#workspace.root
  }

  /** One round, as a stream of events that ends with `round-end`: sub-agents have ended by then too. */
  run(prompt: string, signal?: AbortSignal): AsyncGenerator<AgentEvent> {
    return this.#traced(this.#round(prompt, signal))
  }

  async *#round(prompt: string, signal: AbortSignal | undefined): AsyncGenerator<AgentEvent> {
    this.#slots.beginRound()
    for await (const event of runRound(prompt, this.#host, signal)) {
      if (event.type === 'round-end') yield* this.#events.during(Promise.allSettled(this.#subAgents))
      yield event
    }
  }
}

interface AgentParts {
  readonly workspace: Workspace
  readonly events: EventChannel
  readonly subAgents: ReadonlySet<Promise<unknown>>
  readonly slots: SubAgentSlots
  readonly traced: (events: AsyncGenerator<AgentEvent>) => AsyncGenerator<AgentEvent>
}

function tracedRun({ run, effectOf }: WorkspaceToolRunner, tracing: Tracing | undefined): ToolRunner['run'] {
  if (tracing === undefined) return run
  return (call, context) => {
    const isKnown = effectOf(call.name) !== undefined
    return tracing.tool({ name: call.name, id: idOf(call), isKnown }, () => run(call, context))
  }
}

/** Loaded when it is first called: most rounds need no sub-agent. */
function taskTool(
  options: AgentOptions,
  { events, running, slots }: { events: EventChannel; running: Set<Promise<unknown>>; slots: SubAgentSlots },
): LazyTool {
  return {
    ...taskDescription,
    async load() {
      const [{ createTaskTool }, { subAgents }] = await Promise.all([
        import('./task/task-tool.js'),
        import('./task/sub-agents.js'),
      ])
      const open = (sub: AgentOptions) => Agent.open({ ...sub, limits: { ...sub.limits, subAgents: false } })
      const run = subAgents(options, { open, slots, tell: (event) => events.push(event) })
      return createTaskTool((task, signal) => {
        const report = run(task, signal)
        running.add(report)
        const forget = () => running.delete(report)
        report.then(forget, forget)
        return report
      })
    },
  }
}

/** The loop's calls have ids; those that a prompt makes have none. */
function idOf(call: ToolCall): string | undefined {
  return 'id' in call && typeof call.id === 'string' ? call.id : undefined
}

async function protocolOf(
  name: AgentOptions['protocol'] = 'react',
  tools: readonly (Tool | LazyTool)[],
): Promise<Protocol> {
  return name === 'react' ? reactProtocol : nativeProtocol(await describeTools(tools))
}
