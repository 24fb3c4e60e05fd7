import { actionText, finishText } from '@mutsumi/react-text'
import { type Model, type ModelRequest, textOf } from '@mutsumi/schema'
import { cancelled } from '../faults/fault-error.js'
import { estimatedUsage } from '../reply/estimated-usage.js'
import { answer } from './answer.js'
import { asksForInstructions, draftInstructions } from './draft.js'
import { readQuestion } from './question.js'
import { readResult } from './tool-result.js'

/**
 * The model for those who have none: no network, no weights. It looks the question up in the workspace through the same
 * tools and the same text protocol as any other model, quotes what it finds with file and line, and says what it is.
 */
export function createOfflineModel(): Model {
  return { name: 'offline', callsTools: false, writesSummaries: false, cache: { minutes: 0 }, stream }
}

const stream: Model['stream'] = async function* (request, { signal } = {}) {
  const reply = replyTo(request)
  if (signal?.aborted) return yield { type: 'fault', fault: cancelled().fault }
  yield { type: 'text', text: reply }
  yield { type: 'usage', usage: estimatedUsage(request, reply) }
  yield { type: 'end', reason: 'stop' }
}

/**
 * The whole reply, a pure function of the request: the work on the question is done again from its beginning with the
 * results that the request holds, up to the first call that has no result yet.
 */
export function replyTo({ messages }: ModelRequest): string {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const [question, ...since] = messages.slice(Math.max(asked, 0))
  // The files that a block of references and a reminder speak of are named before them.
  const [words = ''] = question ? textOf(question).split(/<(?:content_reference|system-reminder)>/) : []
  const work = asksForInstructions(words) ? draftInstructions() : answer(readQuestion(words))
  let next = work.next()
  for (const message of since) {
    if (next.done) break
    if (message.role === 'tool') next = work.next(readResult(next.value, textOf(message)))
  }
  return next.done ? finishText(next.value) : actionText(next.value)
}
