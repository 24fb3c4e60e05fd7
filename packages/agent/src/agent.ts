import {
  ContextEngine,
  type ContextSettings,
  defaultSettings,
  MessageTokens,
  type TokenCounter,
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
} from '@mutsumi/tools'
import { describeTools } from './describe-tools.js'
import { nativeProtocol } from './protocol/native.js'
import type { Protocol } from './protocol/protocol.js'
import { reactProtocol } from './protocol/react.js'
import type { AgentHost, AgentLimits } from './round/agent-host.js'
import { EventChannel } from './round/event-channel.js'
import { runRound } from './round/run-round.js'
import { SessionLog } from './round/session-log.js'
import { SessionObservations } from './session-observations.js'
import { taskDescription } from './task/task-description.js'

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
}

/** An agent at work in one session: `run` is one round of it. */
export class Agent {
  readonly #host: AgentHost
  readonly #workspace: Workspace
  readonly #events: EventChannel
  readonly #subAgents: ReadonlySet<Promise<unknown>>

  private constructor(
    host: AgentHost,
    {
      workspace,
      events,
      subAgents,
    }: { workspace: Workspace; events: EventChannel; subAgents: ReadonlySet<Promise<unknown>> },
  ) {
    this.#host = host
    this.#workspace = workspace
    this.#events = events
    this.#subAgents = subAgents
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
    const protocol = await protocolOf(options)
    const events = new EventChannel()
    const running = new Set<Promise<unknown>>()
    const memory = createSessionMemory({ observations: new SessionObservations(session) })
    const runner = createToolRunner({
      workspace,
      tools: options.limits?.subAgents === false ? tools : [...tools, taskTool(options, { events, running })],
      permit: gate.permit,
      memory,
      onEvent: (call, { text }) => events.push({ type: 'tool-output', call: idOf(call), text }),
    })
    // With native calls the tools describe themselves beside the messages.
    const prompt = protocol.prompt === '' ? '' : `${protocol.prompt.trim()}\n\n${runner.prompt}`
    const lent = { effectOf: runner.effectOf, run: runner.run, prompt }
    const observations = memory.observations
    const ports = {
      reader: workspace,
      tools: lent,
      hash: hashText,
      observation: (id: string) => observations.find(id),
      ...(options.tokens ? { tokens: options.tokens } : {}),
    }
    const engine = new ContextEngine(ports, { settings, trusted, macros })
    const host: AgentHost = {
      log: new SessionLog(session),
      engine,
      tokens: new MessageTokens(engine.tokens),
      model: options.model,
      ...(options.summaryModel ? { summaryModel: options.summaryModel } : {}),
      protocol,
      tools: lent,
      events,
      shown: (key, allowed) =>
        void markAsRead(`${workspace.root}/${key}`, { workspace, allowed, files: memory.files }),
      ...(options.limits ? { limits: options.limits } : {}),
    }
    return new Agent(host, { workspace, events, subAgents: running })
  }

  get root(): string {
    return this.#workspace.root
  }

  /** One round, as a stream of events that ends with `round-end`: sub-agents have ended by then too. */
  async *run(prompt: string, signal?: AbortSignal): AsyncGenerator<AgentEvent> {
    for await (const event of runRound(prompt, this.#host, signal)) {
      if (event.type === 'round-end') yield* this.#events.during(Promise.allSettled(this.#subAgents))
      yield event
    }
  }
}

/** Loaded when it is first called: most rounds need no sub-agent. */
function taskTool(
  options: AgentOptions,
  { events, running }: { events: EventChannel; running: Set<Promise<unknown>> },
): LazyTool {
  return {
    ...taskDescription,
    async load() {
      const [{ createTaskTool }, { subAgents }] = await Promise.all([
        import('./task/task-tool.js'),
        import('./task/sub-agents.js'),
      ])
      const open = (sub: AgentOptions) => Agent.open({ ...sub, limits: { ...sub.limits, subAgents: false } })
      const run = subAgents(options, { open, tell: (event) => events.push(event) })
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
function idOf(call: ToolCall): string {
  return 'id' in call && typeof call.id === 'string' ? call.id : call.name
}

async function protocolOf({ protocol = 'react', tools }: AgentOptions): Promise<Protocol> {
  return protocol === 'react' ? reactProtocol : nativeProtocol(await describeTools(tools))
}
