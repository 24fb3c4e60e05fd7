import type { AgentEvent, ModelFault, RoundStatus } from '@mutsumi/schema'
import type { Move } from '../protocol/protocol.js'
import { type AgentHost, defaultLimits } from './agent-host.js'
import { CallIds } from './call-ids.js'
import { LoopGuard } from './loop-guard.js'
import { makeRoom } from './make-room.js'
import { type ReadReply, readReply } from './read-reply.js'
import { RoundState } from './round-state.js'
import { runCalls } from './run-calls.js'
import { Unsettled } from './unsettled.js'

/**
 * One round: asks the model, runs what it calls for, shows it the results, until it answers. Every step is recorded as
 * it happens, so that a round that is cut off anywhere leaves a session that goes on.
 */
export async function* runRound(
  prompt: string,
  host: AgentHost,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<AgentEvent> {
  const round = await RoundState.begin(prompt, host, signal)
  yield { type: 'round-start', cell: round.cell }
  for (const warning of round.warnings) yield { type: 'warning', warning }
  const unsettled = new Unsettled()
  const end = yield* steps({ round, host, unsettled, signal })
  yield* unsettled.settle()
  if (end.status !== 'done') await host.log.end(round.id, end.status, end.message ?? '')
  yield { type: 'round-end', ...end }
}

/** How a round ended. */
interface RoundEnd {
  readonly status: RoundStatus
  readonly answer?: string
  readonly message?: string
  readonly fault?: ModelFault
}

const cancelled: RoundEnd = { status: 'cancelled', message: 'cancelled' }

async function* steps(work: Work): AsyncGenerator<AgentEvent, RoundEnd> {
  const { round, host, signal } = work
  const { steps: most, malformedReplies } = { ...defaultLimits, ...host.limits }
  const guard = new LoopGuard()
  const callIds = new CallIds(host.log.session)
  let malformed = 0
  for (let step = 1; step <= most; step++) {
    const reply = yield* askWithRoom(step, work)
    if (signal.aborted) return cancelled
    if (reply.kind === 'too-large') return { status: 'failed', message: reply.message }
    if (reply.kind === 'fault') return faultEnd(reply.fault)
    const read = host.protocol.read(reply.reply, (index) => `${round.id}-${step}-${index + 1}`)
    const move = withOwnIds(read, callIds)
    if (move.kind === 'answer') yield* restOf(move.answer, reply.shown)
    if (move.kind === 'answer') return answerEnd(move, reply, { round, host, step })
    malformed = move.kind === 'malformed' ? malformed + 1 : 0
    if (move.kind === 'malformed') {
      await round.malformed(step, move)
      if (malformed >= malformedReplies) return tooManyMalformed(malformed, move.problem)
      continue
    }
    const stop = yield* runCalls(move, { ...work, step, guard })
    if (signal.aborted) return cancelled
    if (stop) return { status: 'failed', message: stop }
  }
  return { status: 'failed', message: `stopped after ${most} steps without an answer; ask again to go on` }
}

function withOwnIds(move: Move, ids: CallIds): Move {
  return move.kind === 'calls' ? { ...move, calls: ids.own(move.calls) } : move
}

/** What could not be told from the protocol's own words while it came in. */
function* restOf(answer: string, shown: string): Generator<AgentEvent> {
  const rest = answer.startsWith(shown) ? answer.slice(shown.length) : ''
  if (rest !== '') yield { type: 'answer', text: rest }
}

type Asked = ReadReply | { readonly kind: 'too-large'; readonly message: string }

interface Work {
  readonly round: RoundState
  readonly host: AgentHost
  readonly unsettled: Unsettled
  readonly signal: AbortSignal
}

/** Nothing is asked, and nothing recorded as asked, once the round is cancelled. */
const stopped: Asked = { kind: 'fault', fault: { kind: 'cancelled', message: 'cancelled' }, text: '' }

/** Asks the model once there is room for the request. A provider that finds it too long is believed once. */
async function* askWithRoom(step: number, work: Work): AsyncGenerator<AgentEvent, Asked> {
  const room = yield* afterSettled(makeRoom(work, { force: false }), work)
  if (room || work.signal.aborted) return room ?? stopped
  const reply = yield* ask(step, work)
  if (reply.kind !== 'fault' || reply.fault.kind !== 'context-too-long' || work.signal.aborted) return reply
  const more = yield* afterSettled(makeRoom(work, { force: true }), work)
  if (work.signal.aborted) return stopped
  return more ? withAdvice(reply) : yield* ask(step, work)
}

/** What the provider said stands: it knows its window, and we only guess how it counts. */
function withAdvice(reply: Extract<ReadReply, { kind: 'fault' }>): ReadReply {
  const message = `${reply.fault.message} Nothing more can be left out of the history.`
  return { ...reply, fault: { ...reply.fault, message } }
}

/** What takes long is not begun before what came earlier is told. */
async function* afterSettled<End>(
  events: AsyncGenerator<AgentEvent, End>,
  { unsettled }: Work,
): AsyncGenerator<AgentEvent, End> {
  for (;;) {
    const { done, value } = await events.next()
    if (done) return value
    yield* unsettled.settle()
    yield value
  }
}

async function* ask(
  step: number,
  { round, host, unsettled, signal }: Work,
): AsyncGenerator<AgentEvent, ReadReply> {
  const messages = round.messages()
  const { model, protocol, log } = host
  const sent = { ...protocol.request(messages), cacheAfter: round.cacheAfter(messages) }
  const about = { cell: round.id, number: round.nextRequest(), model: model.name, sent }
  // Begun together with what the last step left, it shares its sync.
  const request = await log.request(messages, about, round.piecesOf)
  yield* unsettled.settle()
  yield { type: 'request-start', step, tokens: round.estimate }
  const reply = yield* readReply(model, sent, { protocol, signal })
  if (reply.usage) {
    round.used(reply.usage, messages)
    unsettled.add(log.usage(request, reply.usage), { type: 'usage', step, usage: reply.usage })
  }
  return reply
}

async function answerEnd(
  { content, answer }: Extract<Move, { kind: 'answer' }>,
  { reply: { reason } }: Extract<ReadReply, { kind: 'reply' }>,
  { round, host, step }: { round: RoundState; host: AgentHost; step: number },
): Promise<RoundEnd> {
  await host.log.step(round.id, step, { content, final: true })
  switch (reason) {
    case 'filter':
      return { status: 'failed', answer, message: 'the provider filtered the reply' }
    case 'refusal':
      return { status: 'failed', answer, message: 'the model refused to answer' }
    case 'length':
      return {
        status: 'done',
        answer,
        message: 'the answer was cut off at the output limit; ask it to go on',
      }
    case 'stop':
    case 'calls':
    case 'other':
      return round.denied ? { status: 'denied', answer, message: round.denied } : { status: 'done', answer }
    default:
      return reason satisfies never
  }
}

function faultEnd(fault: ModelFault): RoundEnd {
  if (fault.kind === 'cancelled') return cancelled
  return { status: 'fault', message: fault.message, fault }
}

function tooManyMalformed(count: number, problem: string): RoundEnd {
  return {
    status: 'failed',
    message: `stopped: ${count} replies in a row could not be understood. The last one: ${problem}`,
  }
}
