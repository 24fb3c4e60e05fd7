import {
  type ContextSettings,
  defaultSettings,
  openTokenCounter,
  type Ports,
  type ToolRunner,
} from '@mutsumi/context'
import { sentResults } from '@mutsumi/context/parts'
import type { AgentEvent, Model, ToolCall, Warning } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import {
  createSessionMemory,
  createToolRunner,
  hashText,
  type LazyTool,
  type Tool,
  type ToolEvent,
  type WorkspaceToolRunner,
} from '@mutsumi/tools'
import { markAsRead } from '@mutsumi/tools/parts'
import { documentAssembler } from './document-assembler.js'
import { type KeptEngine, newEngine } from './kept-engine.js'
import type { AgentOptions } from './options/agent-options.js'
import type { Tracing } from './options/tracing.js'
import { chooseProtocol, type ProtocolName } from './protocol/choose-protocol.js'
import { nativeProtocol } from './protocol/native.js'
import { describeTools } from './protocol/native-tools.js'
import type { Protocol } from './protocol/protocol.js'
import { reactProtocol } from './protocol/react.js'
import { RecordedTimes } from './recorded-times.js'
import type { AgentHost } from './round/agent-host.js'
import { agentWarningWords } from './round/agent-warnings.js'
import { EventChannel } from './round/event-channel.js'
import { cacheMinutes, RecordedCache } from './round/recorded-cache.js'
import { resumedCount } from './round/resumed-count.js'
import { SessionLog } from './round/session-log.js'
import { UsageMemory } from './round/usage-memory.js'
import { SessionObservations } from './session-observations.js'
import { SubAgentSlots } from './task/sub-agent-slots.js'
import type { OpenAgent } from './task/sub-agents.js'
import { taskDescription } from './task/task-description.js'
import { copiesOf, mayKeepBy } from './undo/file-copies.js'
import type { UndoPlace } from './undo/undo-rounds.js'
import { unrestoredNotes } from './undo/unrestored-notes.js'
import type { UserCommandOptions } from './user-command.js'

/** Everything that an agent needs. An agent runs rounds with it; a preview only builds their first request. */
export interface Workbench {
  readonly host: AgentHost
  readonly events: EventChannel
  /** The protocol for calls and answers. */
  readonly protocol: ProtocolName
  /** Names of the tools that the model is offered. */
  readonly tools: readonly string[]
  readonly commands: UserCommandOptions
  readonly slots: SubAgentSlots
  /** Sub-agents at work. */
  readonly subAgents: ReadonlySet<Promise<unknown>>
  /** The place for undoing rounds. */
  undoPlace(): Promise<UndoPlace>
  /** Called when files that the model read have left its view. */
  forgetFiles(): void
}

/** `open` opens sub-agents, which are created like the agent itself. `kept`: an engine of an earlier workbench. */
export async function openWorkbench(
  options: AgentOptions,
  open: OpenAgent,
  kept?: KeptEngine,
): Promise<Workbench> {
  const {
    session,
    workspace,
    tools,
    gate,
    settings: given = defaultSettings,
    trusted = false,
    macros = {},
    folders = [],
    appendSystem = '',
  } = options
  const settings = placed(given, options.model)
  const events = new EventChannel()
  const running = new Set<Promise<unknown>>()
  const slots = new SubAgentSlots()
  const protocolName = chooseProtocol(options.protocol ?? 'auto', options.model)
  const mayKeep = mayKeepBy(gate)
  const copies = copiesOf(session, [workspace.root, ...folders])
  const log = new SessionLog(session, protocolName, { copies, mayKeep })
  // Most rounds change nothing.
  const undoPlace = async () => (await import('./undo/undo-place.js')).openUndoPlace(options)
  const changes =
    options.changes ??
    changeKeeper(log, { place: undoPlace, warn: (warning) => events.push({ type: 'warning', warning }) })
  const task = taskTool({ ...options, changes }, { open, events, running, slots })
  const offered = options.limits?.subAgents === false ? tools : [...tools, task]
  const protocol = await protocolOf(protocolName, offered)
  const results = sentResults(settings)
  const observations = new SessionObservations(session, (result) => results.text(result))
  const times = new RecordedTimes(session)
  const memory = createSessionMemory({ observations, recordedTime: (path) => times.of(path) })
  const assemble = documentAssembler({
    ports: () => ports,
    limits: settings.limits,
    trusted,
    macros: () => ({ ...session.session.metadata.macroContext, ...macros }),
  })
  const runner = createToolRunner({
    workspace,
    tools: offered,
    permit: gate.permit,
    ...(gate.permitLeft && { permitLeft: gate.permitLeft }),
    memory,
    assemble,
    changes,
    onEvent: (call, event) => events.push(eventOf(call, event)),
  })
  // With native calls the tools are described beside the messages.
  const prompt = protocol.prompt === '' ? '' : `${protocol.prompt.trim()}\n\n${runner.prompt}`
  const { effectOf, canonical } = runner
  const lent = { effectOf, canonical, run: tracedRun(runner, options.tracing), prompt }
  const ports: Ports = {
    reader: workspace,
    tools: lent,
    hash: hashText,
    ...(options.userRules ? { userRules: options.userRules } : {}),
    observation: (hash: string) => observations.stored(hash),
    snapshot: (hash: string) => session.snapshotText(hash),
    isOwnChange: (path, hash) => isOwnChange(session, path, hash),
    tokens: options.tokens ?? (await openTokenCounter(settings, options.model.name)),
  }
  const engineOptions = { settings, trusted, macros, folders, appendSystem }
  const { engine, tokens } = kept ? kept.of(ports, engineOptions) : newEngine(ports, engineOptions)
  const resumed = resumedCount(session, { settings, tokens })
  const host: AgentHost = {
    log,
    engine,
    tokens,
    usage: new UsageMemory({
      calibrated: settings.tokens.estimator === 'tokenizer',
      resumed: kept ? kept.resumed(resumed) : resumed,
    }),
    model: options.model,
    cache: new RecordedCache(session, {
      model: options.model,
      settings,
      ...(options.now && { now: options.now }),
    }),
    ...(options.summaryModel ? { summaryModel: options.summaryModel } : {}),
    protocol,
    ...(options.sampling ? { sampling: options.sampling } : {}),
    tools: lent,
    events,
    shown: (key, allowed) =>
      void markAsRead(`${workspace.root}/${key}`, { workspace, allowed, files: memory.files }),
    ...(options.limits ? { limits: options.limits } : {}),
    mode: () => gate.mode ?? 'ask',
  }
  return {
    ...{ host, events, protocol: protocolName, tools: offered.map(({ name }) => name) },
    ...{ commands: { workspace, assemble, trusted }, slots, subAgents: running },
    ...{ undoPlace, forgetFiles: () => memory.files.forgetAll() },
  }
}

function changeKeeper(
  log: SessionLog,
  { place, warn }: { readonly place: () => Promise<UndoPlace>; readonly warn: (warning: Warning) => void },
): NonNullable<AgentOptions['changes']> {
  let isTold = false
  // A full disk or a read-only home must not end the round. The records say what is not kept.
  const tell = () => {
    if (isTold || log.unkept === undefined) return
    isTold = true
    warn({ code: 'undo-not-kept', ...agentWarningWords('undo-not-kept', log.unkept), source: 'undo' })
  }
  return (call) => {
    const changing = { id: idOf(call), name: call.name }
    return {
      async before(files) {
        const kept = await log.before(changing, files)
        tell()
        return kept
      },
      async changed(files, unseen) {
        const versions = await log.change(changing, files, unseen)
        tell()
        return unrestoredNotes(versions, (await place()).files, unseen)
      },
    }
  }
}

/** A model with a prompt cache gets each item once; for others one block with the newest message is shorter. */
function placed(settings: ContextSettings, model: Model): ContextSettings {
  if (settings.ghost.placement !== 'auto') return settings
  const placement = cacheMinutes(model, settings) > 0 ? 'appended' : 'newest'
  return { ...settings, ghost: { ...settings.ghost, placement } }
}

/** The calls of these tools contain the text that they write, so the model knows it. A command's call does not. */
const writingTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write'])

function isOwnChange({ facts }: SessionFile, path: string, hash: string): boolean {
  const last = facts.changes.findLast(({ files }) => files.some((file) => file.path === path))
  const { after } = last?.files.findLast((file) => file.path === path) ?? {}
  return last !== undefined && writingTools.has(last.tool) && after?.hash === hash
}

function tracedRun({ run, effectOf }: WorkspaceToolRunner, tracing: Tracing | undefined): ToolRunner['run'] {
  if (tracing === undefined) return run
  return (call, context) => {
    const isKnown = effectOf(call.name) !== undefined
    return tracing.tool({ name: call.name, id: idOf(call), isKnown }, () => run(call, context))
  }
}

interface TaskParts {
  readonly open: OpenAgent
  readonly events: EventChannel
  readonly running: Set<Promise<unknown>>
  readonly slots: SubAgentSlots
}

/** Loaded when it is first called, because most rounds need no sub-agent. */
function taskTool(options: AgentOptions, { open, events, running, slots }: TaskParts): LazyTool {
  return {
    ...taskDescription,
    async load() {
      const [{ createTaskTool }, { subAgents }] = await Promise.all([
        import('./task/task-tool.js'),
        import('./task/sub-agents.js'),
      ])
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

function eventOf(call: ToolCall, event: ToolEvent): AgentEvent {
  if (event.type === 'warning') return event
  return { type: 'tool-output', call: idOf(call) ?? call.name, text: event.text }
}

/** Calls of the loop have ids; calls in a prompt have none. */
function idOf(call: ToolCall): string | undefined {
  return 'id' in call && typeof call.id === 'string' ? call.id : undefined
}

async function protocolOf(name: ProtocolName, tools: readonly (Tool | LazyTool)[]): Promise<Protocol> {
  return name === 'react' ? reactProtocol : nativeProtocol(await describeTools(tools))
}
