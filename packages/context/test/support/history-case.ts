import { reActText } from '@mutsumi/react-text'
import {
  type AgentMessage,
  type CompactionAct,
  callsOf,
  type JsonObject,
  type Session,
  type SessionCell,
  toolNameOf,
} from '@mutsumi/schema'
import {
  type CompactionPlan,
  ContextEngine,
  type ContextSettings,
  HistoryManager,
  reportContext,
  SummaryCompressor,
  shouldCompact,
  ToolResultCompressor,
} from './engine.js'
import { MemoryWorkspace, portsOf } from './memory-workspace.js'
import { settingsWith } from './session.js'

/** A session as a person writes it down: a tool's message may hold the whole result instead of its text. */
export interface HistoryCase {
  readonly about: string
  readonly settings?: Partial<ContextSettings>
  readonly files?: Readonly<Record<string, string>>
  readonly session: {
    readonly cells: readonly WrittenCell[]
    readonly compactions?: readonly CompactionAct[]
  }
  readonly prompt: string
  readonly scratchpad?: readonly WrittenMessage[]
  readonly todo?: string
  /** History is compacted before the request, at once or where it is time. */
  readonly compact?: 'now' | 'when needed'
  /** The provider's last count. */
  readonly lastUsage?: number
  /** The summarizing model's answer; absent if there is no model, `null` if it never answers. */
  readonly answer?: string | null
  /** Print L1 too. */
  readonly showL1?: boolean
}

interface WrittenCell {
  readonly content: string
  readonly metadata?: JsonObject & { readonly mutsumi_interaction?: readonly WrittenMessage[] }
}

interface WrittenMessage {
  readonly role: AgentMessage['role']
  readonly content: string | JsonObject
  readonly metadata?: JsonObject
}

/** The user's notes, and the request as text. */
export async function historyRequest(input: HistoryCase): Promise<string> {
  const settings = settingsWith(input.settings ?? {})
  const engine = new ContextEngine(portsOf(new MemoryWorkspace(input.files)), { settings })
  const scratchpad = written(input.scratchpad ?? [], 'observe')
  const options = { scratchpad, ...(input.todo === undefined ? {} : { todo: input.todo }) }
  const session = readCase(input)
  const notes = input.compact ? await compact(session, { input, engine, options }) : []
  const { messages } = await engine.assemble(session, session.cells.length, input.prompt, options)
  const shown = input.showL1 ? messages : [systemPrompt, ...messages.slice(1)]
  return [...(notes.length > 0 ? [notes.map((note) => `> ${note}`).join('\n')] : []), reActText(shown)].join(
    '\n\n',
  )
}

const systemPrompt: AgentMessage = { role: 'system', content: '(L1: who the agent is, and its tools)' }

type MutableSession = Session & { compactions: CompactionAct[] }

function readCase({ session }: HistoryCase): MutableSession {
  return {
    metadata: {},
    cells: session.cells.map(
      ({ content, metadata }): SessionCell => ({
        content,
        metadata: {
          ...metadata,
          mutsumi_interaction: written(metadata?.mutsumi_interaction ?? [], 'compress'),
        },
      }),
    ),
    compactions: [...(session.compactions ?? [])],
  }
}

/** Messages as a host keeps them, or as the running round sees them. */
function written(messages: readonly WrittenMessage[], form: 'compress' | 'observe'): readonly AgentMessage[] {
  const compressor = new ToolResultCompressor()
  const args = new Map<unknown, JsonObject>()
  return messages.map((message) => {
    const { role, content, metadata } = message
    if (typeof content === 'string') {
      const said = { role, content, ...(metadata ? { metadata } : {}) }
      for (const call of callsOf(said)) args.set(call.id, call.args)
      return said
    }
    const known = { args: args.get(metadata?.call_id) ?? {} }
    const tool = toolNameOf({ role, content: '', ...(metadata ? { metadata } : {}) })
    return { role, content: compressor[form](tool, content, known), ...(metadata ? { metadata } : {}) }
  })
}

interface CompactOptions {
  readonly input: HistoryCase
  readonly engine: ContextEngine
  readonly options: { readonly scratchpad: readonly AgentMessage[]; readonly todo?: string }
}

/** A host's work before a call; returns the user's notes. */
async function compact(
  session: MutableSession,
  { input, engine, options }: CompactOptions,
): Promise<readonly string[]> {
  const { settings } = engine
  const cell = session.cells.length
  if (input.compact === 'when needed' && !(await isTime(session, { input, engine, options })))
    return ['nothing is compacted']
  const plan = await engine.planCompaction(session, cell, input.prompt, options)
  if (plan.kind !== 'plan') return [plan.kind === 'too-large' ? plan.message : 'nothing to compact']
  const history = new HistoryManager(session, { settings })
  const outcome = await summarize(history, { plan, input, settings })
  const summary = 'summary' in outcome ? { summary: outcome.summary } : {}
  session.compactions.push(history.compact(plan, { id: 'c', at: '2026-11-16T12:00:00.000Z', ...summary }))
  return [
    `rounds that leave: ${plan.leaving}, that stay: ${plan.staying}`,
    ...plan.ladder,
    ...(outcome.problem === undefined ? [] : [outcome.problem]),
  ]
}

async function isTime(
  session: Session,
  { input: { prompt, lastUsage }, engine, options }: CompactOptions,
): Promise<boolean> {
  const context = await engine.assemble(session, session.cells.length, prompt, { ...options, dryRun: true })
  const newTokens = engine.tokens.count(prompt)
  const estimate = reportContext(context, engine).tokens.total
  return shouldCompact({ lastUsage, newTokens, estimate, messages: context.messages.length }, engine.settings)
}

function summarize(
  history: HistoryManager,
  { plan, input, settings }: { plan: CompactionPlan; input: HistoryCase; settings: ContextSettings },
) {
  const { answer } = input
  const model =
    answer === undefined
      ? undefined
      : answer === null
        ? () => new Promise<string>(() => undefined)
        : async () => answer
  const atOnce = (_: number, then: () => void) => {
    const timer = setTimeout(then, 0)
    return () => clearTimeout(timer)
  }
  const compressor = new SummaryCompressor(answer === null ? { after: atOnce } : {})
  return compressor.summarize(history.leaving(plan), { model, fallback: settings.summary.fallback })
}
