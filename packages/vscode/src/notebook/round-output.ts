import { argumentOf, type ShownResult } from '@mutsumi/host'
import {
  type AgentEvent,
  isJsonObject,
  type JsonObject,
  type ModelFault,
  type Phrase,
  type RoundStatus,
  type TokenUsage,
  type Warning,
} from '@mutsumi/schema'
import { type CallFile, callFile } from './call-file.js'
import { type CommandGlimpse, commandGlimpse } from './command-glimpse.js'
import { type Remedy, remediesFor } from './remedies.js'
import type { RoundActivity } from './round-activity.js'
import { withUsage } from './round-usage.js'

/** The type of a cell's output. The renderer of this extension shows it. */
export const roundType = 'application/vnd.mutsumi.round+json'

/** One round as a notebook shows it: its parts, in the order in which they happened. */
export interface RoundOutput {
  readonly version: 1
  /** The id of the cell that it answers. */
  readonly cell: string
  readonly state: 'running' | RoundStatus | 'interrupted'
  readonly parts: readonly RoundPart[]
  /** The reason why there is no answer. */
  readonly message?: string
  /** The model's fault in the message as data, until a person reads it. */
  readonly fault?: ModelFault
  readonly usage?: RoundUsage
  /** Present while the model works. */
  readonly activity?: RoundActivity
  /** ISO 8601. */
  readonly startedAt?: string
  readonly endedAt?: string
  /** Questions of calls that have no card here: those of sub-agents, and of calls in a prompt. */
  readonly asked?: readonly ToolQuestion[]
  /** Acts that may mend a failure; after an answer of the offline model, the way to another one. */
  readonly remedies?: readonly Remedy[]
  /** The newest run of the cell sent nothing. All else is the recorded round, which is sent. */
  readonly unsent?: UnsentRun
}

/** A run that ended before anything was recorded. */
export interface UnsentRun {
  readonly state: RoundStatus
  readonly message: string
  /** The model's fault in the message as data, until a person reads it. */
  readonly fault?: ModelFault
  readonly remedies?: readonly Remedy[]
}

export interface RoundUsage {
  readonly input: number
  readonly output: number
  readonly cached: number
  /** In the user's own currency; absent if no price is known. */
  readonly cost?: number
}

export type RoundPart =
  | { readonly kind: 'thought'; readonly text: string }
  /** The answer, or words before a call. */
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'note'
      readonly level: 'info' | 'warning'
      readonly text: string
      /** The same as data, until a person reads it. */
      readonly warning?: Warning
      /** The words of a compaction, if the text is about one. */
      readonly lines?: readonly string[]
    }
  | ToolPart

export interface ToolPart {
  readonly kind: 'tool'
  readonly call: string
  readonly name: string
  /** Its main argument, in a few words. */
  readonly argument: string
  /** All of a command, if the argument is only a part of it. */
  readonly command?: string
  /** The file that it reads or changes. */
  readonly file?: CallFile
  readonly status: 'running' | 'asking' | 'success' | 'partial' | 'error' | 'interrupted'
  /** The result in one line. */
  readonly line?: string
  /** The same as data, until a person reads it. */
  readonly phrase?: Phrase
  readonly timeMs?: number
  /** The end of its output so far. */
  readonly output?: string
  /** The output of a command that has ended. */
  readonly glimpse?: CommandGlimpse
  /** Its changes, as a unified diff. */
  readonly diff?: string
  readonly todos?: readonly ShownTodo[]
  /** The question that the user has to answer before it runs. */
  readonly question?: ToolQuestion
}

export interface ShownTodo {
  readonly content: string
  readonly status: string
}

/** The reason why a call needs the user's permission, and the rules that a permanent answer adds. */
export interface ToolQuestion {
  /** Answers name it. Models choose the ids of calls, so two calls may have the same one. */
  readonly id: string
  /** The tool that asks. */
  readonly name: string
  /** All that it would do: the whole command, the paths, or its arguments. The line of a card has only a part. */
  readonly target: string
  readonly reason: string
  readonly lasting: readonly string[]
  readonly preview?: string
}

const shownOutput = 4_000

export function newRound(cell: string): RoundOutput {
  return { version: 1, cell, state: 'running', parts: [] }
}

/** The round after an event. `priceOf`: the price of a request that is answered now. */
export function hear(
  round: RoundOutput,
  event: AgentEvent,
  priceOf: (usage: TokenUsage) => number | undefined = () => undefined,
): RoundOutput {
  switch (event.type) {
    case 'thought':
      return withText(round, 'thought', event.text)
    case 'answer':
      return withText(round, 'text', event.text)
    case 'answer-reset':
      return event.as === 'thought' ? round : withoutAnswer(round)
    case 'tool-start': {
      const { id, name, args } = event.call
      const todos = name === 'TodoWrite' ? todosIn(args) : []
      return withPart(round, {
        ...{ kind: 'tool', call: id, name, argument: argumentOf(name, args), status: 'running' },
        ...fileIn(name, args),
        ...commandIn(name, args),
        ...(todos.length > 0 && { todos }),
      })
    }
    case 'tool-output':
      return withTool(round, event.call, ({ output = '', ...part }) => ({
        ...part,
        output: (output + event.text).slice(-shownOutput),
      }))
    case 'tool-end':
      return withTool(round, event.call, ({ output: _, question: __, ...part }) => ({
        ...{ ...part, status: event.status, line: event.line, timeMs: event.timeMs },
        ...(event.phrase && { phrase: event.phrase }),
      }))
    case 'warning':
      return withPart(round, {
        ...{ kind: 'note', level: 'warning', text: warningText(event.warning), warning: event.warning },
      })
    case 'compaction-end': {
      const lines = compactionLines(event)
      return withPart(round, { kind: 'note', level: 'info', text: lines.join('\n'), lines })
    }
    case 'usage':
      return { ...round, usage: withUsage(round.usage, event.usage, priceOf(event.usage)) }
    case 'round-end':
      return ended(round, event)
    default:
      return round
  }
}

/** Shows a question in the card of the call that waits for it; below all cards if there is none, as for a sub-agent's. */
export function withQuestion(
  round: RoundOutput,
  {
    call,
    question,
    agent,
  }: { readonly call: string; readonly question: ToolQuestion; readonly agent?: string },
): RoundOutput {
  const carded =
    agent === undefined
      ? withTool(round, call, (part) =>
          part.status === 'running' && part.name === question.name
            ? { ...part, status: 'asking', question }
            : undefined,
        )
      : round
  return carded === round ? { ...round, asked: [...(round.asked ?? []), question] } : carded
}

/** Removes a question that is answered. */
export function withoutQuestion(round: RoundOutput, id: string): RoundOutput {
  const asking = round.parts.find((part) => part.kind === 'tool' && part.question?.id === id)
  if (asking?.kind === 'tool')
    return withTool(round, asking.call, ({ question: _, ...part }) => ({ ...part, status: 'running' }))
  const { asked = [], ...rest } = round
  const left = asked.filter((question) => question.id !== id)
  if (left.length === asked.length) return round
  return { ...rest, ...(left.length > 0 && { asked: left }) }
}

/** Adds the diff of a finished change, or the output of a finished command. */
export function withResult(
  round: RoundOutput,
  call: string,
  { diff, output }: Pick<ShownResult, 'diff' | 'output'>,
): RoundOutput {
  return withTool(round, call, (part) => ({
    ...part,
    ...(diff !== undefined && { diff }),
    ...(output && part.name === 'Bash' && { glimpse: commandGlimpse(output) }),
  }))
}

/** The answer of a round, for readers without our renderer. */
export function answerText({ parts, message }: RoundOutput): string {
  const lastTool = parts.findLastIndex(({ kind }) => kind === 'tool')
  const texts = parts.slice(lastTool + 1).flatMap((part) => (part.kind === 'text' ? [part.text] : []))
  return texts.join('\n\n') || message || ''
}

export function todosIn(args: JsonObject): readonly ShownTodo[] {
  if (!Array.isArray(args.todos)) return []
  return args.todos.flatMap((todo) =>
    isJsonObject(todo) && typeof todo.content === 'string'
      ? [{ content: todo.content, status: String(todo.status ?? 'pending') }]
      : [],
  )
}

/** The part of a call that names its file. */
export function fileIn(name: string, args: JsonObject): Pick<ToolPart, 'file'> {
  const file = callFile(name, args)
  return file ? { file } : {}
}

/** A card's title has room for a part of a command. */
const shortCommand = 60

/** The part of a call that has all of its command. */
export function commandIn(name: string, { command }: JsonObject): Pick<ToolPart, 'command'> {
  if (name !== 'Bash' || typeof command !== 'string') return {}
  return command.length > shortCommand || command.trim().includes('\n') ? { command } : {}
}

/** `a.md:3: not found`. */
export function warningText({ source, line, message }: Warning): string {
  return `${source}${line === undefined ? '' : `:${line}`}: ${message}`
}

function withPart(round: RoundOutput, part: RoundPart): RoundOutput {
  return { ...round, parts: [...round.parts, part] }
}

/** Adjacent pieces of one kind are joined into one part. */
function withText(round: RoundOutput, kind: 'thought' | 'text', text: string): RoundOutput {
  const last = round.parts.at(-1)
  if (last?.kind !== kind) return withPart(round, { kind, text })
  return { ...round, parts: [...round.parts.slice(0, -1), { kind, text: last.text + text }] }
}

function withoutAnswer(round: RoundOutput): RoundOutput {
  return round.parts.at(-1)?.kind === 'text' ? { ...round, parts: round.parts.slice(0, -1) } : round
}

function withTool(
  round: RoundOutput,
  call: string,
  change: (part: ToolPart) => ToolPart | undefined,
): RoundOutput {
  const at = round.parts.findLastIndex((part) => part.kind === 'tool' && part.call === call)
  const part = round.parts[at]
  const changed = part?.kind === 'tool' ? change(part) : undefined
  return changed ? { ...round, parts: round.parts.with(at, changed) } : round
}

function compactionLines({
  before,
  after,
  loss,
  problem,
}: Extract<AgentEvent, { type: 'compaction-end' }>): readonly string[] {
  return [`${before} → ${after} tokens`, ...(problem ? [problem] : []), ...loss]
}

function ended(
  round: RoundOutput,
  { status, answer = '', message, fault }: Extract<AgentEvent, { type: 'round-end' }>,
): RoundOutput {
  const isShown = answer === '' || round.parts.at(-1)?.kind === 'text'
  const parts = isShown ? round.parts : [...round.parts, { kind: 'text' as const, text: answer }]
  const { asked: _, activity: __, ...rest } = round
  const remedies = fault ? remediesFor(fault.kind) : []
  return {
    ...rest,
    ...(remedies.length > 0 && { remedies }),
    state: status,
    parts: parts.map((part) =>
      part.kind === 'tool' && (part.status === 'running' || part.status === 'asking') ? stopped(part) : part,
    ),
    ...(message === undefined ? {} : { message }),
    ...(fault && { fault }),
  }
}

function stopped({ question: _, ...part }: ToolPart): ToolPart {
  return { ...part, status: 'interrupted' }
}
