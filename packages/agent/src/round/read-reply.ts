import type {
  AgentEvent,
  FinishReason,
  Model,
  ModelFault,
  ModelRequest,
  RecordedCall,
  TokenUsage,
} from '@mutsumi/schema'
import type { Protocol, Reply } from '../protocol/protocol.js'

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

/** Asks a model and tells what comes in while it comes in. */
export async function* readReply(
  model: Model,
  request: ModelRequest,
  { protocol, signal }: { protocol: Protocol; signal: AbortSignal },
): AsyncGenerator<AgentEvent, ReadReply> {
  const shown = new ShownText(protocol)
  const calls: RecordedCall[] = []
  let usage: TokenUsage | undefined
  let reason: FinishReason = 'other'
  let fault: ModelFault | undefined
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
        break
      case 'fault':
        fault = event.fault
        break
      default:
        return event satisfies never
    }
  }
  const counted = usage ? { usage } : {}
  if (fault) return { kind: 'fault', fault, text: shown.text, ...counted }
  return { kind: 'reply', reply: { text: shown.text, calls, reason }, shown: shown.answer, ...counted }
}

/** What of a growing reply was shown already. */
class ShownText {
  readonly #protocol: Protocol
  text = ''
  #thought = ''
  answer = ''

  constructor(protocol: Protocol) {
    this.#protocol = protocol
  }

  *add(piece: string): Generator<AgentEvent> {
    this.text += piece
    const { thought, answer } = this.#protocol.visible(this.text)
    if (thought.startsWith(this.#thought) && thought.length > this.#thought.length)
      yield { type: 'thought', text: thought.slice(this.#thought.length) }
    if (answer.startsWith(this.answer) && answer.length > this.answer.length)
      yield { type: 'answer', text: answer.slice(this.answer.length) }
    this.#thought = thought
    this.answer = answer
  }
}
