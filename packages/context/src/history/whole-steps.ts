import type { AgentMessage, RecordedCall } from '@mutsumi/schema'
import { answeredCall, callsOf, numberedId, stepOf, UniqueIds } from '@mutsumi/schema'

/**
 * Makes call ids unique within a view. Our agent records unique ids, but sessions of other programs may repeat them.
 * Ids of requests that were already sent keep their spelling.
 */
export function viewedCallIds(): UniqueIds {
  return new UniqueIds(numberedId)
}

/**
 * The messages of one round in the form that providers accept: each call is followed by its answer, in the order of
 * the calls, and no answer is without a call. An interrupted call says so. Valid messages are returned unchanged.
 *
 *     assistant calls a, b      assistant calls a, b
 *     tool b                →   tool a: interrupted
 *     tool z                    tool b
 */
export function wholeSteps(steps: readonly AgentMessage[], used: UniqueIds): readonly AgentMessage[] {
  if (areWhole(steps, used)) return steps
  const answers = answersByCall(steps)
  const out: AgentMessage[] = []
  steps.forEach((message, position) => {
    if (message.role === 'tool') {
      if (answeredCall(message) === undefined && followsText(out.at(-1))) out.push(message)
    } else if (!isEmpty(message)) {
      const calls = callsOf(message)
      const named = calls.map((call) => ({ call, id: used.take(call.id) }))
      out.push(withCalls(message, named))
      for (const { call, id } of named)
        out.push(answerOf(call, id, { message, answer: answers.take(call.id, position) }))
    }
  })
  return out
}

/** Almost all rounds are complete, and sessions have thousands, so this quick check comes first. */
function areWhole(steps: readonly AgentMessage[], used: UniqueIds): boolean {
  const added: string[] = []
  if (addsWhole(steps, used, added)) return true
  for (const id of added) used.remove(id)
  return false
}

function addsWhole(steps: readonly AgentMessage[], used: UniqueIds, added: string[]): boolean {
  let due: readonly RecordedCall[] = []
  let answered = 0
  for (const message of steps) {
    if (message.role === 'tool') {
      if (answered >= due.length || answeredCall(message) !== due[answered++]?.id) return false
      continue
    }
    if (answered < due.length || isEmpty(message)) return false
    due = callsOf(message)
    answered = 0
    for (const { id } of due) {
      if (used.has(id)) return false
      used.add(id)
      added.push(id)
    }
  }
  return answered >= due.length
}

/** An assistant message without text or calls: a reply that was cut off before its first word. */
function isEmpty(message: AgentMessage): boolean {
  return message.role === 'assistant' && message.content.length === 0 && callsOf(message).length === 0
}

/** In the text protocol the answer simply follows the text that asked for it. */
export function followsText(before: AgentMessage | undefined): boolean {
  if (before?.role === 'assistant') return callsOf(before).length === 0
  return before?.role === 'tool' && answeredCall(before) === undefined
}

/** Answers by the call they name. If a model repeats an id, each call takes the answer that follows it. */
function answersByCall(steps: readonly AgentMessage[]) {
  const answers = new Map<string, number[]>()
  const askings = new Map<string, number[]>()
  steps.forEach((message, position) => {
    const id = message.role === 'tool' ? answeredCall(message) : undefined
    if (id !== undefined) push(answers, id, position)
    for (const call of callsOf(message)) push(askings, call.id, position)
  })
  for (const list of [...answers.values(), ...askings.values()]) list.reverse()
  return {
    take(id: string, asked: number): AgentMessage | undefined {
      const positions = answers.get(id)
      const later = askings.get(id)
      while (later && (later.at(-1) ?? Infinity) <= asked) later.pop()
      while (positions && (positions.at(-1) ?? Infinity) < asked) positions.pop()
      const position = positions?.at(-1)
      if (position === undefined || position > (later?.at(-1) ?? Infinity)) return undefined
      positions?.pop()
      return steps[position]
    },
  }
}

function push(lists: Map<string, number[]>, id: string, position: number): void {
  const list = lists.get(id)
  if (list) list.push(position)
  else lists.set(id, [position])
}

interface NamedCall {
  readonly call: RecordedCall
  readonly id: string
}

function withCalls(message: AgentMessage, named: readonly NamedCall[]): AgentMessage {
  if (named.every(({ call, id }) => call.id === id)) return message
  const calls = named.map(({ call, id }) => ({ ...call, id }))
  return { ...message, metadata: { ...message.metadata, calls } }
}

function answerOf(
  call: RecordedCall,
  id: string,
  { message, answer }: { message: AgentMessage; answer: AgentMessage | undefined },
): AgentMessage {
  if (!answer) return interrupted(call, id, stepOf(message))
  if (answeredCall(answer) === id) return answer
  return { ...answer, metadata: { ...answer.metadata, call_id: id } }
}

const interruption =
  'interrupted: the call was begun and no result of it is recorded; whether it took effect is unknown'

/** Replaces a missing result. It is made from the call alone, so it is the same in every view. */
function interrupted({ name }: RecordedCall, id: string, step?: number): AgentMessage {
  return {
    role: 'tool',
    content: JSON.stringify({ status: 'error', error: { code: 'EXECUTION_ERROR', message: interruption } }),
    metadata: { tool_name: name, call_id: id, ...(step === undefined ? {} : { step }), interrupted: true },
  }
}
