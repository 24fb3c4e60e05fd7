import type { Model, ModelEvent, ModelRequest } from '@mutsumi/schema'
import { cancelled } from '../faults/fault-error.js'
import { answerOf } from './answer.js'
import { readConversation } from './conversation.js'
import { estimatedUsage } from './estimated-usage.js'
import { nextCall } from './plan.js'
import { readQuestion } from './question.js'
import { isSummaryRequest, writeSummary } from './summary.js'

/**
 * The model for those who have none: no network, no weights. It searches the workspace for the words of the question
 * through the same tools and the same text protocol as any other model, quotes what it finds with file and line, and
 * says what it is.
 */
export function createOfflineModel(): Model {
  return { name: 'offline', callsTools: false, stream }
}

async function* stream(
  request: ModelRequest,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<ModelEvent> {
  const reply = replyTo(request)
  for (const text of reply.match(/[\s\S]{1,80}(?:\s|$)|[\s\S]{1,80}/gu) ?? []) {
    if (signal?.aborted) return yield { type: 'fault', fault: cancelled().fault }
    yield { type: 'text', text }
    // Whoever shows the text, or wants to stop it, gets a turn.
    await undefined
  }
  yield { type: 'usage', usage: estimatedUsage(request, reply) }
  yield { type: 'end', reason: 'stop' }
}

/** The whole reply, a pure function of the request. */
export function replyTo({ messages }: ModelRequest): string {
  if (isSummaryRequest(messages)) return writeSummary(messages)
  const conversation = readConversation(messages)
  const question = readQuestion(conversation.question)
  const call = nextCall(question, conversation)
  if (!call) return finish(answerOf(question, conversation))
  return `Thought: ${thoughtOf(call.name)}\nAction: ${call.name}[${JSON.stringify(call.args)}]`
}

/** Quoted code may open brackets that it does not close: then the form without brackets says it for certain. */
function finish(answer: string): string {
  return isBalanced(answer) ? `Action: Finish[${answer}]` : `Final Answer: ${answer}`
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const bracket of text.match(/[[\]]/g) ?? []) {
    depth += bracket === '[' ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}

function thoughtOf(tool: string): string {
  switch (tool) {
    case 'Grep':
      return 'I look for the words of the question.'
    case 'Glob':
      return 'I look for files with such names.'
    case 'LS':
      return 'I list the folder.'
    default:
      return 'I read the place.'
  }
}
