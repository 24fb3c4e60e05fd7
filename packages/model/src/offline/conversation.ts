import { type AgentMessage, isJsonObject, type JsonObject, textOf } from '@mutsumi/schema'
import { type GivenFile, givenFiles, withoutBlock } from './given-files.js'

/** What the offline model knows: the messages of a request, taken apart. */
export interface Conversation {
  /** The newest question, in the user's own words. */
  readonly question: string
  /** Files that the user mentioned and wants read. */
  readonly mentioned: readonly string[]
  /** Files that the question names and whose content came with the messages. */
  readonly given: readonly GivenFile[]
  /** What was done about the question so far. */
  readonly steps: readonly Step[]
  /** How often the model has replied to it, whatever it said. */
  readonly replies: number
}

export interface Call {
  readonly name: 'Glob' | 'Grep' | 'LS' | 'Read'
  readonly args: JsonObject
}

export interface Step {
  readonly name: string
  readonly args: JsonObject
  readonly failed: boolean
  /** Empty where it failed. */
  readonly data: JsonObject
}

export function readConversation(messages: readonly AgentMessage[]): Conversation {
  const asked = messages.findLastIndex((message) => message.role === 'user' && !isToolText(textOf(message)))
  const { words, reminder } = partsOf(textOf(messages[asked] ?? { role: 'user', content: '' }))
  const round = messages.slice(asked + 1)
  const given = givenFiles(messages.filter(({ role }) => role === 'user').map(textOf))
  return {
    question: words,
    mentioned: mentionedIn(reminder),
    // Files of earlier questions come along; this one may be about something else.
    given: given.filter(({ path }) => words.includes(path)),
    steps: stepsOf(round),
    replies: round.filter(({ role }) => role === 'assistant').length,
  }
}

/** The result of a call that was made already. */
export function resultOf({ steps }: Conversation, call: Call): Step | undefined {
  const args = JSON.stringify(call.args)
  return steps.find((step) => step.name === call.name && JSON.stringify(step.args) === args)
}

const toolLabel = /^\[tool\]\s*/

function isToolText(text: string): boolean {
  return toolLabel.test(text)
}

const reminderTags = ['<system-reminder>', '</system-reminder>'] as const

/** What the user wrote, and the reminder that Mutsumi put behind it. */
function partsOf(message: string): { readonly words: string; readonly reminder: string } {
  const text = withoutBlock(message).trimEnd()
  const [opening, closing] = reminderTags
  const start = text.endsWith(closing) ? text.lastIndexOf(opening) : -1
  if (start === -1) return { words: text.trim(), reminder: '' }
  return { words: text.slice(0, start).trim(), reminder: text.slice(start + opening.length, -closing.length) }
}

/** `The user mentioned @a.ts, @"b c.ts" (and 2 more…).` */
function mentionedIn(reminder: string): string[] {
  const said = /The user mentioned (.*)\.$/m.exec(reminder)?.[1] ?? ''
  return [...said.matchAll(/@(?:"([^"]+)"|([^\s,]+))/g)].map((found) => found[1] ?? found[2] ?? '')
}

/** Each action of ours and the result that follows it. */
function stepsOf(round: readonly AgentMessage[]): Step[] {
  const steps: Step[] = []
  let open: Pick<Step, 'name' | 'args'> | undefined
  for (const message of round) {
    if (message.role === 'assistant') open = actionOf(textOf(message))
    else if (message.role !== 'system' && open) {
      steps.push({ ...open, ...resultIn(textOf(message).replace(toolLabel, '')) })
      open = undefined
    }
  }
  return steps
}

function actionOf(text: string): Pick<Step, 'name' | 'args'> | undefined {
  const found = /^Action: (\w+)\[(\{.*\})\]\s*$/m.exec(text)
  const args = found && parsed(found[2] ?? '')
  return found && isJsonObject(args) ? { name: found[1] ?? '', args } : undefined
}

function resultIn(content: string): Pick<Step, 'failed' | 'data'> {
  const value = parsed(content)
  if (!isJsonObject(value) || value.status === 'error' || !isJsonObject(value.data))
    return { failed: true, data: {} }
  return { failed: false, data: value.data }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Not one of ours; the step counts as failed.
    return undefined
  }
}
