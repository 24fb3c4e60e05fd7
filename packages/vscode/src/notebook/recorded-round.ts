import { type ResultWords, resultWords } from '@mutsumi/agent'
import { argumentOf } from '@mutsumi/host'
import { parseReply } from '@mutsumi/react-text'
import {
  type AgentMessage,
  answeredCall,
  callsOf,
  type EndRecord,
  isJsonObject,
  type JsonObject,
  type RecordedCall,
  type SessionCell,
  type ToolResult,
  textOf,
} from '@mutsumi/schema'
import { glimpseIn } from './command-glimpse.js'
import {
  commandIn,
  fileIn,
  type RoundOutput,
  type RoundPart,
  type RoundUsage,
  type ToolPart,
  todosIn,
} from './round-output.js'
import type { RoundTime } from './round-times.js'

/** Recorded facts about a round besides its messages. */
export interface RoundFacts {
  readonly end?: EndRecord | undefined
  readonly usage?: RoundUsage | undefined
  readonly time?: RoundTime | undefined
}

/** The recorded round of a cell; undefined if it was never answered. */
export function recordedRound(
  { metadata = {} }: SessionCell,
  { end, usage, time }: RoundFacts = {},
): RoundOutput | undefined {
  const messages = metadata.mutsumi_interaction ?? []
  if (messages.length === 0 && !end) return undefined
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[answeredCall(message), message]] : [])),
  )
  const parts = messages.flatMap((message) => partsOf(message, results))
  const isAnswered = messages.some((message) => message.metadata?.final === true)
  return {
    ...{ version: 1, cell: metadata.id ?? '', parts },
    state: end?.status ?? (isAnswered ? 'done' : 'interrupted'),
    // The page has its own words for an interrupted round.
    ...(end && end.message !== '' && end.status !== 'interrupted' && { message: end.message }),
    ...(usage && { usage }),
    ...(time && { startedAt: time.start, endedAt: time.end }),
  }
}

type Results = ReadonlyMap<string | undefined, AgentMessage>

function partsOf(message: AgentMessage, results: Results): readonly RoundPart[] {
  if (message.role === 'user') return [{ kind: 'note', level: 'info', text: textOf(message) }]
  if (message.role !== 'assistant') return []
  const calls = callsOf(message)
  return [...wordsOf(message, calls), ...calls.map((call) => toolPart(call, results.get(call.id)))]
}

/** Thought and answer of a step, in its protocol. A reply that was cut off ends with a note in brackets of its own. */
function wordsOf(message: AgentMessage, calls: readonly RecordedCall[]): readonly RoundPart[] {
  const whole = textOf(message)
  const note = message.metadata?.not_run === 'cut' ? (/\n\n(\[[^\n]*\])$/.exec(whole)?.[1] ?? '') : ''
  if (note === '') return saidIn(message, whole, calls)
  const said = saidIn(message, whole.slice(0, -note.length), calls)
  const last = said.at(-1)
  if (last?.kind !== 'text' && last?.kind !== 'thought') return [...said, { kind: 'text', text: note }]
  return [...said.slice(0, -1), { ...last, text: `${last.text.trimEnd()}\n\n${note}` }]
}

function saidIn(message: AgentMessage, text: string, calls: readonly RecordedCall[]): readonly RoundPart[] {
  if (text.trim() === '') return []
  if (message.metadata?.protocol === 'native') return [{ kind: 'text', text }]
  const parsed = parseReply(text)
  switch (parsed.kind) {
    case 'answer':
      return [{ kind: 'text', text: parsed.text }]
    case 'finish':
      return [...thoughtOf(parsed.thought), { kind: 'text', text: parsed.answer }]
    case 'action':
      return thoughtOf(parsed.thought)
    case 'malformed':
      return calls.length > 0 ? thoughtOf(parsed.thought) : [{ kind: 'thought', text }]
    default:
      return parsed satisfies never
  }
}

function thoughtOf(thought: string): readonly RoundPart[] {
  return thought.trim() === '' ? [] : [{ kind: 'thought', text: thought.trim() }]
}

function toolPart({ id, name, args }: RecordedCall, answer: AgentMessage | undefined): ToolPart {
  const named = { kind: 'tool', call: id, name, argument: argumentOf(name, args) } as const
  const head = { ...named, ...fileIn(name, args), ...commandIn(name, args) }
  if (!answer) return { ...head, status: 'interrupted' }
  const result = resultIn(textOf(answer))
  const todos = name === 'TodoWrite' ? todosIn(args) : []
  const data = isJsonObject(result?.data) ? result.data : {}
  const diff = data.diff_preview
  const glimpse = name === 'Bash' ? glimpseIn(data) : undefined
  return {
    ...head,
    status: result ? statusOf(result) : 'success',
    ...(result ? wordsAbout(name, result) : { line: '' }),
    ...(glimpse && { glimpse }),
    ...(typeof diff === 'string' && { diff }),
    ...(todos.length > 0 && { todos }),
  }
}

function resultIn(content: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(content)
    return isJsonObject(parsed) ? parsed : undefined
  } catch {
    // Results of other programs need not be JSON. Then they are text.
    return undefined
  }
}

function statusOf({ status }: JsonObject): ToolPart['status'] {
  return status === 'error' || status === 'partial' ? status : 'success'
}

/** The session stores no text of a result, so its data is shown. */
function wordsAbout(name: string, result: JsonObject): ResultWords {
  const data = isJsonObject(result.data) ? result.data : {}
  const error = isJsonObject(result.error) ? result.error : { message: '' }
  return resultWords(name, { text: '', ...result, data, error } as unknown as ToolResult)
}
