import {
  type AgentMessage,
  callsOf,
  isJsonObject,
  type Session,
  type SessionCell,
  type SessionHeader,
  safeText,
  textOf,
} from '@mutsumi/schema'
import { parseJson } from '../codec/parse-json.js'
import { roundCells } from '../fold/round-cells.js'
import type { SessionFacts } from '../fold/session-fold.js'
import { sessionTitle, shortened } from './session-title.js'

/** A model's words for people. The host knows the protocol. */
type AnswerOf = (message: AgentMessage) => string

export interface MarkdownParts extends Pick<SessionFacts, 'ends'> {
  readonly answerOf?: AnswerOf
}

/** A session as Markdown: the questions, calls and answers of each round. No text in it can look like another part. */
export function exportMarkdown(
  header: SessionHeader,
  session: Session,
  { ends, answerOf = textOf }: MarkdownParts,
): string {
  const rounds = roundCells(session.cells)
  const sections = [
    `# ${plainLine(sessionTitle(session) ?? `Session ${header.id}`)}`,
    `Session ${codeSpan(header.id)}, begun ${plainLine(header.created)}, ${count(rounds.length, 'round')}.`,
    ...rounds.flatMap((cells, index) => [
      `## Round ${index + 1}`,
      ...cells.flatMap((cell) => cellSections(cell, { ends, answerOf })),
    ]),
  ]
  return `${sections.join('\n\n')}\n`
}

function cellSections(cell: SessionCell, { ends, answerOf }: Required<MarkdownParts>): readonly string[] {
  const { role = 'user', id, at, mutsumi_interaction: messages = [] } = cell.metadata ?? {}
  const end = id === undefined ? undefined : ends.get(id)
  return [
    ...(cell.content.trim() === '' ? [] : [`**${speaker(role)}**${timeOf(at)}`, quote(cell.content)]),
    ...messageSections(messages, answerOf),
    ...(end ? [`*This round was ${plainLine(end.status)}: ${plainLine(end.message)}*`] : []),
  ]
}

/** An answer is shown unchanged; the calls of a step are a list, one line each. */
function messageSections(messages: readonly AgentMessage[], answerOf: AnswerOf): readonly string[] {
  const results = resultsByCall(messages)
  return messages.flatMap((message) => {
    if (message.role === 'assistant') return stepSections(message, { results, answerOf })
    if (message.role !== 'tool') return [`**${speaker(message.role)}**`, quote(textOf(message))]
    return isCallResult(message) ? [] : [toolLine(String(message.metadata?.tool_name ?? 'tool'), '', message)]
  })
}

function stepSections(
  message: AgentMessage,
  { results, answerOf }: { results: ReadonlyMap<string, AgentMessage>; answerOf: AnswerOf },
): readonly string[] {
  const calls = callsOf(message)
  const text = textOf(message)
  const words = calls.length > 0 ? [fenced(text)] : ['**Mutsumi**', quote(answerOf(message))]
  const lines = calls.map(({ id, name, args }) =>
    toolLine(name, JSON.stringify(args), results.get(callKey(message, id))),
  )
  return [...(text.trim() === '' ? [] : words), ...(lines.length > 0 ? [lines.join('\n')] : [])]
}

function toolLine(name: string, args: string, result: AgentMessage | undefined): string {
  return `- ${codeSpan(shortened(`${name} ${args}`.trim(), 160))}: ${result ? statusOf(textOf(result)) : 'interrupted, effect unknown'}`
}

/** The status of a result in history, and its error, if any. */
function statusOf(content: string): string {
  const result = parseJson(content)
  if (!isJsonObject(result) || typeof result.status !== 'string') return 'answered'
  const { error } = result
  const message = isJsonObject(error)
    ? `: ${plainLine(shortened(`${error.code}: ${error.message}`, 200))}`
    : ''
  return `${plainLine(result.status)}${message}`
}

function resultsByCall(messages: readonly AgentMessage[]): ReadonlyMap<string, AgentMessage> {
  const results = messages.filter(isCallResult)
  return new Map(results.map((message) => [callKey(message, String(message.metadata?.call_id)), message]))
}

function isCallResult({ role, metadata }: AgentMessage): boolean {
  return role === 'tool' && typeof metadata?.call_id === 'string'
}

/** Ids of calls are unique within a step only. */
function callKey({ metadata }: AgentMessage, call: string): string {
  return `${metadata?.step} ${call}`
}

function speaker(role: string): string {
  return speakers.get(role) ?? plainLine(role)
}

// Not an object, because a role may have the same name as a property of every object.
const speakers = new Map([
  ['user', 'You'],
  ['assistant', 'Mutsumi'],
  ['summary', 'Summary'],
  ['system', 'System'],
])

function timeOf(at: unknown): string {
  return typeof at === 'string' && at !== '' ? ` (${plainLine(at)})` : ''
}

/** Anything that the text opens (a fence, a comment) ends with the quotation. */
function quote(text: string): string {
  return lines(text)
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

/** The fence is longer than any in the text. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${fence}text\n${lines(text).join('\n')}\n${fence}`
}

function codeSpan(text: string): string {
  const line = lines(text).join(' ')
  const ticks = '`'.repeat(longestTicks(line) + 1)
  return ticks.length === 1 && line !== '' && !/^ | $/.test(line)
    ? `\`${line}\``
    : `${ticks} ${line} ${ticks}`
}

function longestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0)
}

/** One line in which no character means anything to Markdown. */
function plainLine(text: string): string {
  return lines(text)
    .join(' ')
    .replace(/[\\`*_[\]<>#|~&]/g, '\\$&')
}

/** An export must not control the terminal it is shown in. Joiners stay, because scripts and emoji need them. */
function lines(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.replace(/[^\u200c\u200d]+/g, safeText))
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
