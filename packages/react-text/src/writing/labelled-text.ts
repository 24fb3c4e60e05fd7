import { type AgentMessage, callsOf, isRole, type Role } from '@mutsumi/schema'
import { actionText } from './reply-text.js'

/** A message read back from the text form: a picture is the word `[image]` there. */
export interface LabelledText {
  readonly role: Role
  readonly content: string
}

/**
 * A request as one text, for models that are spoken to in ReAct form:
 *
 *     [user] Fix the login.
 *
 *     [assistant] Thought: I read it first.
 *     Action: Read[{"path":"src/auth.ts"}]
 *
 *     [tool] {"status":"success","data":{…}}
 *
 * A label counts only where a line begins. A line of a message that begins like one gets a backslash in front of the
 * bracket, `\[user]`, and so does a line that begins so already; hence no content can speak for another role, and
 * `parseReActText` gives every message back as it was.
 */
export function reActText(messages: readonly AgentMessage[]): string {
  return messages.map(labelled).join('\n\n')
}

/** The messages of a text that `reActText` made. What stands before the first label belongs to nobody. */
export function parseReActText(text: string): LabelledText[] {
  const labels = [...text.matchAll(label)]
  return labels.flatMap((found, index) => {
    const [whole, role] = found
    // The two line ends before the next label part the messages.
    const next = labels[index + 1]
    const content = text.slice(found.index + whole.length, next ? next.index - 2 : text.length)
    return isRole(role) ? [{ role, content: withoutEscapes(content) }] : []
  })
}

/** The calls of a step in ReAct form, where its own text does not spell them: natively called tools. */
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

/** Whatever a reader may take for the end of a line. */
const lineEnds = String.raw`\n\r\v\f\u0085\u2028\u2029`
const lineStart = String.raw`(^|[${lineEnds}])([\t\p{Zs}\p{Default_Ignorable_Code_Point}]*)`
const likeLabel = String.raw`\[[ \t]*(?:system|user|assistant|tool|summary)[ \t]*\]`
const toEscape = new RegExp(String.raw`${lineStart}(\\*${likeLabel})`, 'giu')
const escaped = new RegExp(String.raw`${lineStart}\\(\\*${likeLabel})`, 'giu')

/** Whether a line of a text begins like a label, so that it would speak for another role. */
export function spellsLabel(text: string): boolean {
  return text.includes('[') && labelInText.test(text)
}

const labelInText = new RegExp(toEscape.source, 'iu')

/** A text in which the bracket of each line that begins like a label is written as JSON writes it. */
export function escapeLabels(text: string): string {
  return text.replace(toEscape, (found) => found.replace('[', '\\u005b'))
}

const known = new WeakMap<AgentMessage, string>()

/** Messages are never changed in place, so that a long history is written once. */
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
