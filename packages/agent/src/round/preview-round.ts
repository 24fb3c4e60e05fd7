import { type ContextEngine, type ContextReport, type HistoryReport, reportContext } from '@mutsumi/context'
import { shouldCompact } from '@mutsumi/context/parts'
import { factsOfModel, type Model, type ModelRequest, type Warning } from '@mutsumi/schema'
import type { AgentHost } from './agent-host.js'
import { agentWarningWords } from './agent-warnings.js'
import { cleanHistory } from './clean-history.js'
import type { LeavingMemory } from './leaving-memory.js'
import type { makeRoom } from './make-room.js'
import { RoundState } from './round-state.js'

/** The first request of a round as its model would get it, with facts about it. */
export interface PreviewedRound extends ContextReport {
  /** Everything sent with the messages: tools, settings for replies, cache marks. */
  readonly sent: Omit<ModelRequest, 'messages'>
  readonly history: HistoryReport
  /** The compaction that a run makes before it sends the request. */
  readonly compaction?: PreviewedCompaction
}

export interface PreviewedCompaction {
  /** Tokens of the request before it, and as shown. */
  readonly before: number
  readonly after: number
  /** Lists what leaves the view, one line each. */
  readonly loss: readonly string[]
  /** `unknown`: a run asks a model for a summary, which is not in the messages. `none`: the messages are complete. */
  readonly summary: 'unknown' | 'none'
}

export interface PreviewOptions {
  /** A recorded cell, built as if it ran again. Absent: the prompt is a new cell. */
  readonly cell?: number
  /** The cell is going to run, so room is made for it as in a run. */
  readonly isNext?: boolean
  readonly signal?: AbortSignal
}

/** Parts that stay from one preview of a session to the next. */
export interface PreviewMemory {
  /** Builds the request after a compaction. */
  readonly compacted: ContextEngine
  readonly leaving: LeavingMemory
}

/**
 * Begins a round as `runRound` does, and stops before its first request is sent. It writes to the host's session as a
 * round does, so the session must be a copy in memory.
 */
export async function previewRound(
  prompt: string,
  host: AgentHost,
  { cell, isNext = cell === undefined, signal = new AbortController().signal }: PreviewOptions = {},
  memory?: PreviewMemory,
): Promise<PreviewedRound> {
  const recorded = new Set(host.log.session.compactions?.flatMap((act) => ('id' in act ? [act.id] : [])))
  const work = { host: previewHost(host, memory), signal }
  const round =
    cell === undefined
      ? await RoundState.begin(prompt, work.host, signal)
      : await RoundState.at({ id: idOf(cell, host), index: cell }, prompt, { ...work, isSent: isNext })
  // The request of an earlier cell is not sent again, so it needs no room.
  const cleaned = isNext && round.turnsCold() ? await cleanHistory(round, work.host) : []
  const room = isNext ? await madeRoom({ ...work, round }) : {}
  const { messages, ...sent } = round.request()
  const { messages: _context, ...report } = reportContext(round.context, host.engine, {
    tools: round.toolTokens,
  })
  // The report uses its own total. A run uses the provider's last count, for which the room was made.
  const { warnings } = isNext ? round : report
  return {
    ...{ messages, sent, ...report },
    history: historyOf(round, work.host, { recorded, isNext }),
    ...(room.compaction && { compaction: room.compaction }),
    warnings: [...warnings, ...cleaned, ...compactionWarnings(room)],
  }
}

/**
 * The rounds that the request shows, and the recorded compactions. The one that a run would make first is not among
 * them.
 */
function historyOf(
  { cell }: RoundState,
  { engine, log, cache }: AgentHost,
  { recorded, isNext }: { readonly recorded: ReadonlySet<string>; readonly isNext: boolean },
): HistoryReport {
  const history = engine.reportHistory(log.session, cell, isNext ? { cache: cache.state } : {})
  return { ...history, compactions: history.compactions.filter(({ id }) => recorded.has(id)) }
}

function idOf(cell: number, { log }: AgentHost): string {
  return log.session.cells[cell]?.metadata?.id ?? ''
}

/** The same host, with models that do not answer and calls that change nothing. */
function previewHost({ shown: _, engine, ...host }: AgentHost, memory?: PreviewMemory): AgentHost {
  const summaryModel = host.summaryModel && { summaryModel: unasked(host.summaryModel) }
  const before = host.log.session.compactions?.length
  return {
    ...{ ...host, model: unasked(host.model), ...summaryModel, dryRun: true, leaving: memory?.leaving },
    get engine() {
      return host.log.session.compactions?.length === before ? engine : (memory?.compacted ?? engine)
    },
  }
}

function unasked(model: Model): Model {
  return {
    ...factsOfModel(model),
    async *stream() {
      yield { type: 'fault', fault: { kind: 'cancelled', message: 'a preview does not ask a model' } }
    },
  }
}

interface MadeRoom {
  readonly compaction?: PreviewedCompaction
  /** Why a run would end here without a request. */
  readonly tooLarge?: string
}

type RoomWork = Parameters<typeof makeRoom>[0]

/** Makes room as a round does. Most requests need none, and then its code is not loaded. */
async function madeRoom(work: RoomWork): Promise<MadeRoom> {
  if (!shouldCompact(work.round.weight, work.host.engine.settings)) return {}
  const events = (await import('./make-room.js')).makeRoom(work, { force: false })
  let compaction: PreviewedCompaction | undefined
  let isSummarized = false
  for (;;) {
    const { done, value } = await events.next()
    if (done) return { ...(compaction && { compaction }), ...(value && { tooLarge: value.message }) }
    if (value.type === 'compaction-start') isSummarized ||= value.model !== undefined
    if (value.type !== 'compaction-end') continue
    const { before, after, loss } = value
    compaction = {
      before: compaction?.before ?? before,
      after,
      loss: [...(compaction?.loss ?? []), ...loss],
      summary: isSummarized ? 'unknown' : 'none',
    }
  }
}

function compactionWarnings({ compaction, tooLarge }: MadeRoom): readonly Warning[] {
  return [
    ...(compaction ? [compactionDue(compaction)] : []),
    ...(tooLarge === undefined
      ? []
      : [{ code: 'too-large', ...agentWarningWords('too-large-to-send', tooLarge), source: 'request' }]),
  ]
}

function compactionDue({ before, after, summary }: PreviewedCompaction): Warning {
  const code = summary === 'unknown' ? 'compaction-due-summary' : 'compaction-due'
  return { code: 'compaction-due', ...agentWarningWords(code, before, after), source: 'request' }
}
