import { actionsText } from '@mutsumi/react-text'
import { type AgentMessage, textOf } from '@mutsumi/schema'
import type { TokenCounter } from './ports.js'

/** A picture costs about this many tokens with every large provider; exact numbers come with the reported usage. */
export const tokensPerImage = 1500

export interface NextRequestParts {
  readonly counter: MessageTokens
  /** Input and output tokens of the newest reply, as the provider reported them. */
  readonly lastUsage?: number
  /** The new part of the request: the user's input, tool results. */
  readonly newText: string
  readonly newImages?: number
  /** Everything before it; estimated as long as nothing was reported. */
  readonly earlier: readonly AgentMessage[]
}

/** The size of the next request: the provider's last count plus an estimate of the new part. */
export function nextRequestTokens({
  counter,
  lastUsage,
  newText,
  newImages = 0,
  earlier,
}: NextRequestParts): number {
  const before = isReported(lastUsage) ? lastUsage : counter.total(earlier)
  return before + counter.count(newText) + newImages * tokensPerImage
}

/**
 * Counts each message once. Messages are never changed in place, so only new messages of a growing history are
 * counted, and only they are added to the sum of the list before.
 */
export class MessageTokens implements TokenCounter {
  readonly #counter: TokenCounter
  readonly #known = new WeakMap<AgentMessage, number>()
  /** The list that was added up last. */
  #added: readonly AgentMessage[] = []
  /** The sum up to and including each of its messages. */
  #sums: readonly number[] = []

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  count(text: string): number {
    return this.#counter.count(text)
  }

  of(message: AgentMessage): number {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    const tokens = countMessage(message, this.#counter)
    this.#known.set(message, tokens)
    return tokens
  }

  total(messages: readonly AgentMessage[]): number {
    const differs = messages.findIndex((message, at) => message !== this.#added[at])
    const same = differs === -1 ? Math.min(messages.length, this.#sums.length) : differs
    const sums = this.#sums.slice(0, same)
    let total = sums[same - 1] ?? 0
    for (const message of messages.slice(same)) {
      total += this.of(message)
      sums.push(total)
    }
    this.#added = messages.slice()
    this.#sums = sums
    return total
  }
}

/** A message's text, its pictures, and the calls that are not part of its text. */
export function countMessage(message: AgentMessage, tokens: TokenCounter): number {
  const actions = actionsText(message)
  return (
    tokens.count(textOf(message)) +
    (actions === '' ? 0 : tokens.count(actions)) +
    imagesIn(message) * tokensPerImage
  )
}

function imagesIn({ content }: AgentMessage): number {
  return typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image_url').length
}

/** Servers that do not count report nothing or 0. */
function isReported(usage: number | undefined): usage is number {
  return usage !== undefined && Number.isFinite(usage) && usage > 0
}
