import { ToolResultCompressor } from '@mutsumi/context'
import { keptResult } from '@mutsumi/context/parts'
import type { AgentEvent, RecordedCall, ToolResult } from '@mutsumi/schema'
import { sha256 } from '@mutsumi/session/node'
import { hashOf } from '@mutsumi/session/parts'
import type { Move } from '../protocol/protocol.js'
import type { AgentHost } from './agent-host.js'
import type { LoopGuard } from './loop-guard.js'
import { resultWords } from './result-line.js'
import { firstLine } from './result-phrase.js'
import type { SeenResult } from './round-state.js'
import type { RoundWork } from './round-work.js'

interface CallsWork extends RoundWork {
  readonly step: number
  readonly guard: LoopGuard
}

/**
 * Runs the calls of one step: read-only calls in parallel, others one after the other. Results are recorded in the
 * order of the calls, and emitted after they are on disk. Returns a message if the round must not continue.
 */
export async function* runCalls(
  move: Extract<Move, { kind: 'calls' }>,
  work: CallsWork,
): AsyncGenerator<AgentEvent, string | undefined> {
  const { step, round, host } = work
  // Started together, they share one sync.
  const recorded = host.log.step(round.id, step, move)
  const seen: SeenResult[] = []
  let stop: string | undefined
  for (const group of groups(move.calls, host)) {
    await Promise.all([recorded, ...group.map((call) => host.log.intent(round.id, step, call))])
    yield* work.unsettled.settle()
    for (const call of group) yield { type: 'tool-start', step, call }
    const running = Promise.all(group.map((call) => runOne(call, work)))
    const results = host.events ? yield* host.events.during(running) : await running
    for (const [index, call] of group.entries()) {
      const result = results[index]
      if (!result) continue
      const judged = take(call, result, work)
      seen.push(judged.seen)
      stop ??= judged.stop
    }
    if (work.signal.aborted) break
  }
  await recorded
  round.add(step, move, seen)
  return stop
}

/** Consecutive read-only calls run in parallel. */
function groups(calls: readonly RecordedCall[], { tools }: AgentHost): RecordedCall[][] {
  const grouped: RecordedCall[][] = []
  let together = false
  for (const call of calls) {
    const reads = tools.effectOf(call.name) === 'read'
    const last = grouped.at(-1)
    if (last && together && reads) last.push(call)
    else grouped.push([call])
    together = reads
  }
  return grouped
}

function runOne(call: RecordedCall, { host, round, signal }: CallsWork): Promise<ToolResult> {
  return host.tools.run(call, { allowed: round.allowed, signal })
}

/** Starts recording a result and returns what the model sees of it. */
function take(
  call: RecordedCall,
  result: ToolResult,
  { step, round, host, guard, unsettled }: CallsWork,
): { seen: SeenResult; stop?: string } {
  const verdict = guard.judge(call, result, host.tools.effectOf(call.name))
  const { name: tool, args } = call
  const noted = verdict.kind === 'warn' ? withNote(result, verdict.note) : result
  const compressor = new ToolResultCompressor(host.engine.settings.kept)
  const observed = compressor.observe(tool, noted)
  const observation = hashOf(observed, sha256)
  const content = keptResult(compressor, { tool, result, args, observation })
  const written = host.log.result(round.id, step, { call, content, observed, observation })
  // In plan mode a refusal is what the user wants, not a permission that is missing.
  if (host.mode?.() !== 'plan') round.denied = deniedIn(call, result) ?? round.denied
  const { recap } = result.data
  if (call.name === 'TodoWrite' && result.status !== 'error' && typeof recap === 'string')
    round.remember(recap)
  unsettled.add(written, {
    type: 'tool-end',
    step,
    call: call.id,
    name: call.name,
    status: result.status,
    ...resultWords(call.name, result),
    timeMs: result.stats.time_ms,
  })
  return {
    seen: { call, content: observed, observation },
    ...(verdict.kind === 'stop' ? { stop: verdict.message } : {}),
  }
}

/** The permission that was missing, here or for one of several sub-agents. A command's output may follow it. */
function deniedIn({ name }: RecordedCall, { data, ...result }: ToolResult): string | undefined {
  if (result.status === 'error' && result.error.code === 'PERMISSION_DENIED')
    return firstLine(result.error.message)
  return name === 'Task' && typeof data.denied === 'string' ? data.denied : undefined
}

function withNote(result: ToolResult, note: string): ToolResult {
  const { notes } = result.data
  return { ...result, data: { ...result.data, notes: [...(Array.isArray(notes) ? notes : []), note] } }
}
