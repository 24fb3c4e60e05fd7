import type {
  AgentEvent,
  FinishReason,
  Model,
  ModelFault,
  ModelRequest,
  RecordedCall,
  TokenUsage,
} from '@mutsumi/schema'
import type { Protocol, Reply, ReplyReader } from '../protocol/protocol.js'

/** A reply, or why there is none that can be used. */
export type ReadReply =
  | {
      readonly kind: 'reply'
      readonly reply: Reply
      /** What of its answer was shown while it came in. */
      readonly shown: string
      readonly usage?: TokenUsage
    }
  | { readonly kind: 'fault'; readonly fault: ModelFault; readonly text: string; readonly usage?: TokenUsage }

/** Asks a model and tells what comes in while it comes in, up to where the rest is made up. */
export async function* readReply(
  model: Model,
  request: ModelRequest,
  { protocol, signal }: { protocol: Protocol; signal: AbortSignal },
): AsyncGenerator<AgentEvent, ReadReply> {
  const shown = new ShownText(protocol)
  const calls: RecordedCall[] = []
  let usage: TokenUsage | undefined
  let reason: FinishReason = 'other'
  let dropped = 0
  let fault: ModelFault | undefined
  const turns = new Turns()
  for await (const event of model.stream(request, { signal })) {
    switch (event.type) {
      case 'text':
        yield* shown.add(event.text)
        break
      case 'reasoning':
        yield { type: 'thought', text: event.text }
        break
      case 'call':
        calls.push(event.call)
        break
      case 'retry':
        yield event
        break
      case 'usage':
        usage = event.usage
        break
      case 'end':
        reason = event.reason
        dropped = event.dropped ?? 0
        break
      case 'fault':
        fault = event.fault
        break
      default:
        return event satisfies never
    }
    if (shown.isOver) {
      reason = 'stop'
      break
    }
    if (turns.isDue) await turns.give()
    if (!signal.aborted) continue
    fault ??= { kind: 'cancelled', message: 'cancelled' }
    break
  }
  const counted = usage ? { usage } : {}
  if (fault) return { kind: 'fault', fault, text: shown.text, ...counted }
  return {
    kind: 'reply',
    reply: { text: shown.text, calls, reason, dropped },
    shown: shown.answer,
    ...counted,
  }
}

/** As long as a reply comes in faster than it is read, nothing else would get its turn: no timer, no signal. */
class Turns {
  #last = performance.now()

  get isDue(): boolean {
    return performance.now() - this.#last > 20
  }

  async give(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#last = performance.now()
  }
}

/** What of a growing reply was shown already. */
class ShownText {
  readonly #reader: ReplyReader
  text = ''
  answer = ''

  constructor(protocol: Protocol) {
    this.#reader = protocol.reader()
  }

  get isOver(): boolean {
    return this.#reader.isOver === true
  }

  *add(piece: string): Generator<AgentEvent> {
    this.text += piece
    const { thought, answer } = this.#reader.add(piece)
    if (thought !== '') yield { type: 'thought', text: thought }
    if (answer !== '') yield { type: 'answer', text: answer }
    this.answer += answer
  }
}
