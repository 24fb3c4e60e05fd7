import type { AgentEvent, ModelFault, RoundStatus } from '@mutsumi/schema'
import cutReply from '../prompts/cut-reply.md'
import type { Move } from '../protocol/protocol.js'
import { type AgentHost, defaultLimits } from './agent-host.js'
import { agentWarningWords } from './agent-warnings.js'
import { cleanHistory } from './clean-history.js'
import { LoopGuard } from './loop-guard.js'
import { makeRoom } from './make-room.js'
import { type ReadReply, readReply } from './read-reply.js'
import { type ReplyPiece, ReplyRecorder } from './reply-recorder.js'
import { RoundState } from './round-state.js'
import type { RoundWork } from './round-work.js'
import { runCalls } from './run-calls.js'
import { Unsettled } from './unsettled.js'

/**
 * One round: asks the model, runs its calls and shows it the results, until it answers. Every step is recorded as it
 * happens, so that a session can continue even if a round is cut off anywhere.
 */
export async function* runRound(
  prompt: string,
  host: AgentHost,
  signal: AbortSignal = new AbortController().signal,
  cell?: string,
): AsyncGenerator<AgentEvent> {
  const round = await begun(prompt, { host, signal, cell })
  yield { type: 'round-start', cell: round.cell }
  for (const warning of round.warnings) yield { type: 'warning', warning }
  const unsettled = new Unsettled()
  const end = yield* steps({ round, host, unsettled, signal })
  yield* unsettled.settle()
  if (end.status !== 'done')
    await host.log.end(round.id, isInterrupted(signal) ? 'interrupted' : end.status, end.message ?? '')
  yield { type: 'round-end', ...end }
}

/** A round begins with a new cell, or with a recorded one. */
function begun(
  prompt: string,
  { host, signal, cell }: { host: AgentHost; signal: AbortSignal; cell: string | undefined },
): Promise<RoundState> {
  if (cell === undefined) return RoundState.begin(prompt, host, signal)
  const index = host.log.session.cells.findLastIndex(({ metadata }) => metadata?.id === cell)
  if (index === -1) throw new TypeError(`the session has no cell ${cell}`)
  host.log.begin(cell)
  return RoundState.at({ id: cell, index }, prompt, { host, signal })
}

/** The end of a round. */
interface RoundEnd {
  readonly status: RoundStatus
  readonly answer?: string
  readonly message?: string
  readonly fault?: ModelFault
}

/** The reason of a signal shows whether a timer aborted it, as with `AbortSignal.timeout`. */
function stoppedEnd(signal: AbortSignal): RoundEnd {
  const { reason } = signal
  if (isInterrupted(signal)) return { status: 'cancelled', message: 'interrupted' }
  return reason instanceof Error && reason.name === 'TimeoutError'
    ? { status: 'timeout', message: reason.message }
    : { status: 'cancelled', message: 'cancelled' }
}

/** The reason for aborting the rounds of a program that ends: the user stopped none of them. */
export class RoundInterrupted extends Error {
  override readonly name = 'RoundInterrupted'
}

function isInterrupted({ reason }: AbortSignal): boolean {
  return reason instanceof RoundInterrupted
}

async function* steps(work: RoundWork): AsyncGenerator<AgentEvent, RoundEnd> {
  const { round, host, signal } = work
  const { steps: most, malformedReplies } = { ...defaultLimits, ...host.limits }
  const guard = new LoopGuard()
  let malformed = 0
  for (let step = 1; step <= most; step++) {
    takeSteering(work)
    const reply = yield* askWithRoom(step, work)
    if (reply.kind === 'fault') return yield* faultEnd(reply, { round, host, step, signal })
    if (signal.aborted) return stoppedEnd(signal)
    if (reply.kind === 'too-large') return { status: 'failed', message: reply.message }
    const move = withOwnIds(reply.move, host)
    if (move.kind === 'answer') yield* restOf(move.answer, reply.shown)
    if (move.kind === 'answer') return answerEnd(move, reply, { round, host, step })
    if (reply.shown.length > 0) yield takenBack(move)
    malformed = move.kind === 'malformed' ? malformed + 1 : 0
    if (move.kind === 'malformed') {
      await round.malformed(step, move)
      if (malformed >= malformedReplies) return tooManyMalformed(malformed, move.problem)
      continue
    }
    const stop = yield* runCalls(move, { ...work, step, guard })
    if (signal.aborted) return stoppedEnd(signal)
    if (stop) return { status: 'failed', message: stop }
  }
  return { status: 'failed', message: agentWarningWords('stopped-after-steps', most).message }
}

/**
 * Adds the user's messages to the round. Their event is emitted with the request that contains them: both share one
 * sync.
 */
function takeSteering({ round, host, unsettled, signal }: RoundWork): void {
  if (signal.aborted) return
  for (const text of host.steering?.() ?? [])
    unsettled.add(round.steer(text), { type: 'steer', step: round.step - 1, text })
}

/** Calls with new ids and with the tools' own names. */
function withOwnIds(move: Move, { tools, log }: AgentHost): Move {
  if (move.kind !== 'calls') return move
  const calls = move.calls.map((call) => tools.canonical?.(call) ?? call)
  return { ...move, calls: log.callIds.own(calls) }
}

/** The answer, if it could not be separated from the protocol's own words while it streamed in. */
function* restOf(answer: string, shown: readonly string[]): Generator<AgentEvent> {
  let length = 0
  const isPart = shown.every((piece) => {
    const isNext = answer.startsWith(piece, length)
    length += piece.length
    return isNext
  })
  if (!isPart) yield { type: 'answer-reset', reason: 'the answer was read again when it was complete' }
  const rest = isPart ? answer.slice(length) : answer
  if (rest !== '') yield { type: 'answer', text: rest }
}

/** The shown text was not the answer. Words before a call are still worth reading. */
function takenBack({ kind }: Move): AgentEvent {
  return kind === 'calls'
    ? { type: 'answer-reset', reason: 'the model said this before it called tools', as: 'thought' }
    : { type: 'answer-reset', reason: 'the reply was not an answer' }
}

/** The position of a record in a session. */
interface StepPlace extends Pick<RoundWork, 'round' | 'host'> {
  readonly step: number
}

type Asked = ReadReply | { readonly kind: 'too-large'; readonly message: string }

/** After the round is cancelled, no request is sent or recorded. */
const stopped: Asked = {
  kind: 'fault',
  fault: { kind: 'cancelled', message: 'cancelled' },
  text: '',
  answer: '',
  shown: [],
}

/** Makes room for the request, then asks the model. If the provider refuses it as too long, this is done once more. */
async function* askWithRoom(step: number, work: RoundWork): AsyncGenerator<AgentEvent, Asked> {
  if (work.round.turnsCold()) {
    const warnings = await cleanHistory(work.round, work.host)
    if (warnings.length > 0) yield* work.unsettled.settle()
    for (const warning of warnings) yield { type: 'warning', warning }
  }
  const room = yield* afterSettled(makeRoom(work, { force: false }), work)
  if (room || work.signal.aborted) return room ?? stopped
  const reply = yield* ask(step, work)
  if (reply.kind !== 'fault' || reply.fault.kind !== 'context-too-long' || work.signal.aborted) return reply
  const more = yield* afterSettled(makeRoom(work, { force: true }), work)
  if (work.signal.aborted) return stopped
  return more ? withAdvice(reply) : yield* ask(step, work)
}

/** The provider's answer is final: it knows its window, and we only estimate its count. */
function withAdvice(reply: Extract<ReadReply, { kind: 'fault' }>): ReadReply {
  const message = `${sentence(reply.fault.message)} Nothing more can be left out of the history.`
  return { ...reply, fault: { ...reply.fault, message } }
}

/** Earlier events are emitted before something slow begins. */
async function* afterSettled<End>(
  events: AsyncGenerator<AgentEvent, End>,
  { unsettled }: RoundWork,
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
  { round, host, unsettled, signal }: RoundWork,
): AsyncGenerator<AgentEvent, ReadReply> {
  const messages = round.messages()
  const { model, protocol, log } = host
  const sent = round.request()
  const { shortened } = round.context
  const about = {
    ...{ cell: round.id, number: round.nextRequest(), model: model.name, sent },
    ...(shortened !== undefined && { shortened }),
    at: host.cache.now,
    brought: round.takeBrought(),
  }
  // Started together with the last step's records, it shares their sync.
  const request = await log.request(messages, about, {
    piecesOf: round.piecesOf,
    recordedOf: round.recordedOf,
  })
  yield* unsettled.settle()
  yield { type: 'request-start', step, ...round.size }
  const nameCall = (index: number) => `${round.id}-${step}-${index + 1}`
  const keep = (piece: ReplyPiece) => log.partial(round.id, step, { ...piece, note: cutReply.trim() })
  const reply = yield* readKept(new ReplyRecorder(keep), (heard) =>
    readReply(model, sent, { protocol, nameCall, signal, heard }),
  )
  if (reply.usage) {
    round.used(reply.usage, messages)
    unsettled.add(log.usage(request, reply.usage), { type: 'usage', step, usage: reply.usage })
  }
  return reply
}

/** Reads a reply, and records what has come of it while it streams in. */
async function* readKept(
  recorder: ReplyRecorder,
  read: (heard: ReplyRecorder['heard']) => AsyncGenerator<AgentEvent, ReadReply>,
): AsyncGenerator<AgentEvent, ReadReply> {
  try {
    return yield* read(recorder.heard)
  } finally {
    recorder.end()
  }
}

async function answerEnd(
  { content, answer }: Extract<Move, { kind: 'answer' }>,
  { reply: { reason, word } }: Extract<ReadReply, { kind: 'reply' }>,
  { round, host, step }: StepPlace,
): Promise<RoundEnd> {
  await host.log.step(round.id, step, { content, final: true })
  round.ended(content)
  switch (reason) {
    case 'filter':
      return { status: 'failed', answer, message: agentWarningWords('reply-filtered').message }
    case 'refusal':
      return { status: 'failed', answer, message: agentWarningWords('model-refused').message }
    case 'length':
      return {
        status: 'done',
        answer,
        message: agentWarningWords('answer-cut').message,
      }
    case 'other':
      return round.denied
        ? { status: 'denied', answer, message: round.denied }
        : { status: 'done', answer, message: unknownReason(word) }
    case 'stop':
    case 'calls':
      return round.denied ? { status: 'denied', answer, message: round.denied } : { status: 'done', answer }
    default:
      return reason satisfies never
  }
}

function unknownReason(word: string | undefined): string {
  const named = word === undefined ? 'an unknown reason' : `an unknown reason ("${word}")`
  return `the reply ended for ${named}; the answer may be incomplete`
}

/** The text before a fault was shown, so it is kept. The session and the end of the round mark it as cut. */
async function* faultEnd(
  { fault, text, answer, shown }: Extract<ReadReply, { kind: 'fault' }>,
  { round, host, step, signal }: StepPlace & { readonly signal: AbortSignal },
): AsyncGenerator<AgentEvent, RoundEnd> {
  const isCancelled = fault.kind === 'cancelled'
  const end: RoundEnd = isCancelled ? stoppedEnd(signal) : { status: 'fault', message: fault.message, fault }
  if (text.trim() === '') return end
  const content = `${text}\n\n${cutReply.trim()}`
  await host.log.step(round.id, step, { content, notRun: 'cut' })
  round.ended(content)
  yield* restOf(answer, shown)
  const kept = answer === '' ? end : { ...end, answer }
  return isCancelled
    ? kept
    : { ...kept, message: `${sentence(fault.message)} ${agentWarningWords('reply-kept').message}` }
}

/** A cause that a provider chose may lack its full stop. */
function sentence(cause: string): string {
  return /[.!?…。！？]$/.test(cause) ? cause : `${cause}.`
}

function tooManyMalformed(count: number, problem: string): RoundEnd {
  return {
    status: 'failed',
    message: agentWarningWords('replies-unclear', count, problem).message,
  }
}
