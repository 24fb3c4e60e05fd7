import type {
  AgentEvent,
  FinishReason,
  Model,
  ModelFault,
  ModelRequest,
  RecordedCall,
  TokenUsage,
} from '@mutsumi/schema'
import type { Move, MoveReader, NameCall, Protocol, Reply } from '../protocol/protocol.js'

/** A reply, or why there is no usable one. */
export type ReadReply =
  | {
      readonly kind: 'reply'
      readonly reply: Reply
      readonly move: Move
      /** The part of its answer that was shown while it streamed in. */
      readonly shown: readonly string[]
      readonly usage?: TokenUsage
    }
  | {
      readonly kind: 'fault'
      readonly fault: ModelFault
      /** The text before the fault, the part of it that is the answer, and the part that was shown. */
      readonly text: string
      readonly answer: string
      readonly shown: readonly string[]
      readonly usage?: TokenUsage
    }

export interface ReadingReply {
  readonly protocol: Protocol
  readonly nameCall: NameCall
  readonly signal: AbortSignal
  /** Called with the whole text so far. After a retry it begins again. */
  readonly heard?: (text: string) => void
}

/** Asks a model and yields the reply as it streams in, up to where the rest is made up. */
export async function* readReply(
  model: Model,
  request: ModelRequest,
  { protocol, nameCall, signal, heard }: ReadingReply,
): AsyncGenerator<AgentEvent, ReadReply> {
  const shown = new ShownText(protocol)
  const calls: RecordedCall[] = []
  let usage: TokenUsage | undefined
  let reason: FinishReason = 'other'
  let dropped = 0
  let word: string | undefined
  let fault: ModelFault | undefined
  const pauses = new EventLoopPauses()
  for await (const event of model.stream(request, { signal })) {
    switch (event.type) {
      case 'text':
        yield* shown.add(event.text)
        heard?.(shown.reader.text)
        break
      case 'reasoning':
        yield { type: 'thought', text: event.text }
        break
      case 'call':
        calls.push(event.call)
        break
      case 'retry':
        yield* shown.takeBack(event.fault.message)
        heard?.('')
        yield event
        break
      case 'usage':
        usage = event.usage
        break
      case 'end':
        reason = event.reason
        dropped = event.dropped ?? 0
        word = event.word
        break
      case 'fault':
        fault = event.fault
        break
      default:
        return event satisfies never
    }
    if (shown.reader.isOver) {
      reason = 'stop'
      break
    }
    if (pauses.isDue) await pauses.take()
    if (!signal.aborted) continue
    break
  }
  // If the user cancels at the very end, the reply is not wanted any more.
  if (signal.aborted) fault ??= { kind: 'cancelled', message: 'cancelled' }
  const came = { shown: shown.pieces, ...(usage ? { usage } : {}) }
  if (fault)
    return { kind: 'fault', fault, text: shown.reader.text, answer: shown.reader.cutAnswer(), ...came }
  const said = word === undefined ? {} : { word }
  const reply: Reply = { text: shown.reader.text, calls, reason, dropped, ...said }
  return { kind: 'reply', reply, move: shown.reader.move(reply, nameCall), ...came }
}

/** If a reply streams in faster than it is read, timers and signals would never get a turn. */
class EventLoopPauses {
  #last = performance.now()

  get isDue(): boolean {
    return performance.now() - this.#last > 20
  }

  async take(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#last = performance.now()
  }
}

/** The part of a growing reply that was already shown. */
class ShownText {
  readonly #protocol: Protocol
  reader: MoveReader
  /** Not joined: they are compared with the answer, piece by piece. */
  pieces: string[] = []

  constructor(protocol: Protocol) {
    this.#protocol = protocol
    this.reader = protocol.reader()
  }

  *add(piece: string): Generator<AgentEvent> {
    const { thought, answer } = this.reader.add(piece)
    if (thought !== '') yield { type: 'thought', text: thought }
    if (answer === '') return
    this.pieces.push(answer)
    yield { type: 'answer', text: answer }
  }

  /** The reply is requested again from the beginning. */
  *takeBack(reason: string): Generator<AgentEvent> {
    if (this.pieces.length > 0) yield { type: 'answer-reset', reason }
    this.reader = this.#protocol.reader()
    this.pieces = []
  }
}
