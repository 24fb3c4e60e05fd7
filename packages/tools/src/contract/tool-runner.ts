import {
  type JsonObject,
  nearestName,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
  type ToolRunContext,
} from '@mutsumi/schema'
import { conflictIn, withoutIgnored } from '../foreign/canonical-arguments.js'
import { oneLine } from '../ground/one-line.js'
import { outcomeText } from '../reasons/outcome.js'
import { because, reasonText } from '../reasons/reason.js'
import { createSessionMemory, type SessionMemory } from '../session-memory/session-memory.js'
import type { PathPattern } from '../workspace/path-pattern.js'
import type { Workspace } from '../workspace/workspace.js'
import { canonicalCall } from './canonical-call.js'
import type { ChangeKeeper } from './changed-file.js'
import {
  fail,
  type Places,
  type Tool,
  type ToolEvent,
  type ToolOutcome,
  type ToolOutline,
  type Touched,
} from './define-tool.js'
import type { LeftPlace, PermitLeft } from './left-places.js'
import type { AssembleDocument } from './source-document.js'

/** A tool whose code is loaded when it is first called. */
export interface LazyTool extends ToolOutline {
  load(): Promise<Tool>
}

export interface ToolRunnerOptions {
  readonly workspace: Workspace
  readonly tools: readonly (Tool | LazyTool)[]
  /** Called before a tool runs. Without it, read-only tools run and all others are refused. */
  readonly permit?: (request: PermissionRequest, failure?: FindFailure) => Permission | Promise<Permission>
  /** Called with the protected places that a command made. Without it, none of them stays. */
  readonly permitLeft?: PermitLeft
  /** Absent: the tools remember as long as the runner exists. */
  readonly memory?: SessionMemory
  /** Assembles the documents that tools load. Absent: they are shown as written. */
  readonly assemble?: AssembleDocument
  /** Saves the content that a call removes, so that it can be restored. */
  readonly changes?: (call: ToolCall) => ChangeKeeper
  readonly onEvent?: (call: ToolCall, event: ToolEvent) => void
}

/** A call that is about to run. */
export interface PermissionRequest {
  readonly call: ToolCall
  readonly effect: ToolEffect
  readonly touched: Touched
  readonly allowed: readonly string[]
  /** The task of the calling sub-agent; absent if the agent itself calls. */
  readonly agent?: string
}

export type Permission =
  | {
      readonly granted: true
      readonly places?: Places
      /**
       * Paths that the call still may not read. A rule cannot judge a command by file names, because it contains none.
       */
      readonly denied?: readonly PathPattern[]
    }
  /** `failure`: the call would have failed, so nobody was asked. */
  | { readonly granted: false; readonly reason: string; readonly failure?: ToolOutcome }

/** The failure that a call would have now, at the real targets of its paths. Called before a user is asked. */
export type FindFailure = (
  places?: Places,
) => Promise<Extract<ToolOutcome, { readonly status: 'error' }> | undefined>

export interface WorkspaceToolRunner {
  /** The description of the tools for the model. */
  readonly prompt: string
  /** The side effects of a tool; undefined if there is no tool of that name. */
  effectOf(name: string): ToolEffect | undefined
  /** The call with the tool's own name and arguments: `read_file{"uri":…}` is `Read{"path":…}`. */
  canonical<Call extends ToolCall>(call: Call): Call
  /** Never throws: every failure is a result with status `error`. */
  run(call: ToolCall, context: ToolRunContext): Promise<ToolResult>
}

/** Runs tools in a workspace, with the host's permission. */
export function createToolRunner({
  workspace,
  tools,
  permit = permitReading,
  permitLeft,
  memory = createSessionMemory(),
  assemble,
  changes,
  onEvent,
}: ToolRunnerOptions): WorkspaceToolRunner {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const canonical = <Call extends ToolCall>(call: Call) => canonicalCall(call, (name) => byName.get(name))

  async function answer(call: ToolCall, context: ToolRunContext, clock: WorkClock): Promise<ToolOutcome> {
    const tool = byName.get(call.name)
    if (tool === undefined) return unknownTool(call.name, [...byName.keys()])
    if (context.signal?.aborted) return cancelled
    const conflict = conflictOf(tool, call.args)
    if (conflict !== undefined) return fail('INVALID_PARAM', conflict)
    const loaded = 'load' in tool ? await tool.load() : tool
    const touched = loaded.touches(call.args)
    if (touched?.refusal !== undefined) return notPermitted(tool, touched.refusal)
    const failure: FindFailure = async (places) => {
      const found = await loaded.failure?.(call.args, {
        workspace,
        memory,
        ...context,
        ...(places && { places }),
      })
      return found?.status === 'error' ? found : undefined
    }
    const asked = { call, effect: tool.effect, allowed: context.allowed }
    const permission = touched
      ? await clock.without(() => permit({ ...asked, touched }, loaded.failure && failure))
      : untouched
    if (!permission.granted) return permission.failure ?? notPermitted(tool, permission.reason)
    // Asking and loading take time, and the user may have cancelled meanwhile.
    if (context.signal?.aborted) return cancelled
    const hear = onEvent && { onEvent: (event: ToolEvent) => void tell(() => onEvent(call, event)) }
    const { places, denied = [] } = permission
    const judged = { denied, ...(places && { places }) }
    const kept = changes && { changes: changes(call) }
    const lent = { workspace, memory, ...(assemble && { assemble }), ...kept }
    const left = permitLeft && {
      permitLeft: (places: readonly LeftPlace[]) =>
        clock.without(() => permitLeft({ call, allowed: context.allowed, places })),
    }
    const called = loaded.call(call.args, { ...lent, ...left, ...context, ...hear, ...judged })
    return unlessAborted(called, context.signal)
  }

  return {
    prompt: tools.map((tool) => tool.prompt).join('\n\n'),
    effectOf: (name) => byName.get(canonical({ name, args: {} }).name)?.effect,
    canonical,
    async run(given, context) {
      const clock = new WorkClock()
      const call = canonical(given)
      const foreign = byName.get(call.name)?.foreign
      const { used, ignored } = foreign
        ? withoutIgnored(call.args, foreign)
        : { used: call.args, ignored: [] }
      const outcome = await answer({ ...call, args: used }, context, clock).catch(unexpected)
      const about = { cwd: workspace.root, params_input: call.args }
      return withIgnored(toResult(outcome, { time_ms: clock.ms }, about), ignored)
    },
  }
}

/** The time that a call takes. The time that a person takes to answer a question is not part of it. */
class WorkClock {
  #started = performance.now()

  get ms(): number {
    return Math.round(performance.now() - this.#started)
  }

  async without<Answer>(ask: () => Answer): Promise<Awaited<Answer>> {
    const asked = performance.now()
    const answer = await ask()
    this.#started += performance.now() - asked
    return answer
  }
}

/** A progress listener must not affect the tool, neither by throwing nor by a rejected promise. */
async function tell(listener: () => unknown): Promise<void> {
  try {
    await listener()
  } catch {
    // This is the listener's own failure, and there is nobody to report it to.
  }
}

/** More of an invalid name would only fill the answer. */
const longestName = 64

/** Invalid arguments have no effect: the tool reports what is wrong with them. */
const untouched: Permission = { granted: true }

const cancelled = fail('EXECUTION_ERROR', 'cancelled')

function unknownTool(name: string, names: readonly string[]): ToolOutcome {
  const shown = oneLine(name.length > longestName ? `${name.slice(0, longestName)}…` : name)
  const nearest = nearestName(name, names)
  return fail(
    'NOT_FOUND',
    nearest
      ? outcomeText('near-tool', shown, nearest)
      : outcomeText('unknown-tool', shown, names.join(', ') || 'none'),
  )
}

function conflictOf({ foreign, schema }: ToolOutline, args: JsonObject): string | undefined {
  return foreign && schema && conflictIn(args, { foreign, schema })
}

/** The model learns from it what it need not write. */
function withIgnored(result: ToolResult, ignored: readonly string[]): ToolResult {
  if (ignored.length === 0) return result
  const { notes } = result.data
  const note = `ignored: ${ignored.map(oneLine).join(', ')}`
  return { ...result, data: { ...result.data, notes: [...(Array.isArray(notes) ? notes : []), note] } }
}

function permitReading({ effect }: PermissionRequest): Permission {
  return effect === 'read'
    ? { granted: true }
    : { granted: false, reason: reasonText(because('nobody-to-ask')) }
}

function notPermitted({ name, effect }: ToolOutline, reason: string): ToolOutcome {
  return fail('PERMISSION_DENIED', reasonText(because('not-permitted', name, because(effect), reason)))
}

function unexpected(error: unknown): ToolOutcome {
  return fail('INTERNAL_ERROR', error instanceof Error ? error.message : String(error))
}

/** How long a cancelled tool may take to report its progress. */
const patience = 1000

/** A tool that ignores the signal must not keep the user waiting. */
async function unlessAborted(
  outcome: Promise<ToolOutcome>,
  signal: AbortSignal | undefined,
): Promise<ToolOutcome> {
  if (signal === undefined) return outcome
  let stop = (): void => undefined
  let timer: NodeJS.Timeout | undefined
  const aborted = new Promise<ToolOutcome>((resolve) => {
    stop = () => {
      timer = setTimeout(() => resolve(cancelled), patience)
    }
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([outcome, aborted])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

function toResult(
  outcome: ToolOutcome,
  time: ToolResult['stats'],
  context: ToolResult['context'],
): ToolResult {
  if (outcome.status === 'error') {
    const { status, error, data = {} } = outcome
    return { status, data, text: error.message, error, stats: time, context }
  }
  const { status, data, text, stats } = outcome
  return { status, data, text, stats: { ...stats, ...time }, context }
}
