import { type AgentMessage, callsOf, isRole, type Role } from '@mutsumi/schema'
import { actionText } from './reply-text.js'

/** A message read back from the text form, in which a picture is the word `[image]`. */
export interface LabelledText {
  readonly role: Role
  readonly content: string
}

/**
 * A request as one text, for models that use the ReAct form:
 *
 *     [user] Fix the login.
 *
 *     [assistant] Thought: I read it first.
 *     Action: Read[{"path":"src/auth.ts"}]
 *
 *     [tool] {"status":"success","data":{…}}
 *
 * A label counts only at the beginning of a line. If a line of a message begins like a label, it gets a backslash
 * before the bracket, `\[user]`. A line that already begins with such a backslash gets one more. So no content can pose
 * as another role, and `parseReActText` returns every message unchanged.
 */
export function reActText(messages: readonly AgentMessage[]): string {
  return messages.map(labelled).join('\n\n')
}

/** The messages of a text that `reActText` wrote. Text before the first label is ignored. */
export function parseReActText(text: string): LabelledText[] {
  const labels = [...text.matchAll(label)]
  return labels.flatMap((found, index) => {
    const [whole, role] = found
    // The two line ends before the next label separate the messages.
    const next = labels[index + 1]
    const content = text.slice(found.index + whole.length, next ? next.index - 2 : text.length)
    return isRole(role) ? [{ role, content: withoutEscapes(content) }] : []
  })
}

/** The calls of a step in ReAct form, for native tool calls that are not part of the step's text. */
export function actionsText(message: AgentMessage): string {
  const calls = callsOf(message)
  if (calls.length === 0 || spellsAction(contentText(message))) return ''
  return calls.map(actionText).join('\n')
}

/** Whether a line of a text begins like a call, `Action: Read[`. */
export function spellsAction(text: string): boolean {
  return actionLine.test(text)
}

const label = /(?<=^|\n\n)\[(system|user|assistant|tool)\] /g
const actionLine = /^[ \t*_]*action[ \t*_]*[:：][ \t*_`]*\w[\w-]*[ \t]*\[/im

/** Every character that a reader may treat as a line end. */
const lineEnds = String.raw`\n\r\v\f\u0085\u2028\u2029`
const lineStart = String.raw`(^|[${lineEnds}])([\t\p{Zs}\p{Default_Ignorable_Code_Point}]*)`
const likeLabel = String.raw`\[[ \t]*(?:system|user|assistant|tool|summary)[ \t]*\]`
const toEscape = new RegExp(String.raw`${lineStart}(\\*${likeLabel})`, 'giu')
const escaped = new RegExp(String.raw`${lineStart}\\(\\*${likeLabel})`, 'giu')

/** Whether a line of a text begins like a label and could pose as another role. */
export function spellsLabel(text: string): boolean {
  return text.includes('[') && labelInText.test(text)
}

const labelInText = new RegExp(toEscape.source, 'iu')

/** Writes the bracket as a JSON escape in each line that begins like a label. */
export function escapeLabels(text: string): string {
  return text.replace(toEscape, (found) => found.replace('[', '\\u005b'))
}

const known = new WeakMap<AgentMessage, string>()

/** Messages are never changed in place, so each one of a long history is written only once. */
function labelled(message: AgentMessage): string {
  const before = known.get(message)
  if (before !== undefined) return before
  const texts = [contentText(message), actionsText(message)].filter((text) => text !== '')
  const text = `[${message.role}] ${withEscapes(texts.join('\n'))}`
  known.set(message, text)
  return text
}

function contentText({ content }: AgentMessage): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('')
}

function withEscapes(content: string): string {
  return content.includes('[') ? content.replace(toEscape, '$1$2\\$3') : content
}

function withoutEscapes(content: string): string {
  return content.includes('\\[') ? content.replace(escaped, '$1$2$3') : content
}

/** A step's text with its call written again. A text that does not contain the call stays as it is. */
export function withActions(text: string, calls: readonly Parameters<typeof actionText>[0][]): string {
  const action = actionLine.exec(text)
  return action ? text.slice(0, action.index) + calls.map(actionText).join('\n') : text
}
