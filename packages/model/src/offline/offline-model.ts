import { actionText, finishText } from '@mutsumi/react-text'
import { type AgentMessage, type Model, type ModelEvent, type ModelRequest, textOf } from '@mutsumi/schema'
import { cancelled } from '../faults/fault-error.js'
import { estimatedUsage } from '../reply/estimated-usage.js'
import { answer } from './answer.js'
import { readQuestion } from './question.js'
import { readResult } from './tool-result.js'

/**
 * The model for those who have none: no network, no weights. It looks the question up in the workspace through the same
 * tools and the same text protocol as any other model, quotes what it finds with file and line, and says what it is.
 */
export function createOfflineModel(): Model {
  return { name: 'offline', callsTools: false, writesSummaries: false, cache: { minutes: 0 }, stream }
}

async function* stream(
  request: ModelRequest,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<ModelEvent> {
  const reply = replyTo(request)
  for (const text of reply.match(/[\s\S]{1,80}(?:\s|$)|[\s\S]{1,80}/gu) ?? []) {
    if (signal?.aborted) return yield { type: 'fault', fault: cancelled().fault }
    yield { type: 'text', text }
    // Gives a turn to the reader of the text, who may want to stop it.
    await undefined
  }
  yield { type: 'usage', usage: estimatedUsage(request, reply) }
  yield { type: 'end', reason: 'stop' }
}

/**
 * The whole reply, a pure function of the request: the work on the question is done again from its beginning with the
 * results that the request holds, up to the first call that has no result yet.
 */
export function replyTo({ messages }: ModelRequest): string {
  const asked = messages.findLastIndex((message) => message.role === 'user' && !isResult(message))
  const work = answer(readQuestion(ownWords(messages[asked])))
  let next = work.next()
  for (const message of messages.slice(asked + 1).filter(isResult)) {
    if (next.done) break
    next = work.next(readResult(next.value, textOf(message).replace(label, '')))
  }
  return next.done ? finishText(next.value) : actionText(next.value)
}

const label = /^\[tool\]\s*/

function isResult(message: AgentMessage): boolean {
  return message.role === 'tool' || (message.role === 'user' && label.test(textOf(message)))
}

/** Without the block of references and the reminder at the end: the files that they speak of are named before them. */
function ownWords(message: AgentMessage | undefined): string {
  const tags = ['content_reference', 'system-reminder']
  return tags.reduce(
    (text, tag) => {
      const start = text.trimEnd().endsWith(`</${tag}>`) ? text.lastIndexOf(`<${tag}>`) : -1
      return start === -1 ? text : text.slice(0, start)
    },
    message ? textOf(message) : '',
  )
}
