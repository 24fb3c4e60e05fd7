// The price of requests under a model of a provider's prompt cache.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** The price of a token that is read from or written to the cache, relative to plain input. */
export const prices = { read: 0.1, write: 1.25 }

/** The lifetimes of a provider's cache. */
export const caches = {
  'never expires': Number.POSITIVE_INFINITY,
  '5 minutes': 5 * 60_000,
}

/** Tokens and price of a session's requests. A request reads the beginning that it shares with the last from the cache. */
export class Bill {
  #total
  #keeps
  #before = []
  #last

  constructor(total, keeps) {
    this.#total = total
    this.#keeps = keeps
  }

  send(messages, at) {
    const texts = messages.map(textOf)
    const isCold = this.#last === undefined || at - this.#last > this.#keeps
    this.#last = at
    let same = 0
    if (!isCold) while (same < texts.length && texts[same] === this.#before[same]) same++
    this.#before = texts
    texts.forEach((text, index) => {
      const tokens = tokensOf(text)
      this.#total.tokens += tokens
      this.#total.price += tokens * (index < same ? prices.read : prices.write)
    })
    this.#total.requests++
  }
}

export function newTotal() {
  return { requests: 0, tokens: 0, price: 0, rereads: 0, orphans: 0 }
}

const known = new Map()

export function tokensOf(text) {
  let tokens = known.get(text)
  if (tokens === undefined) {
    tokens = countTokens(text, { allowedSpecial: new Set() })
    known.set(text, tokens)
  }
  return tokens
}

export function textOf({ content, metadata }) {
  const calls = metadata?.calls ?? []
  return calls.length === 0 ? content : content + JSON.stringify(calls.map(({ name, args }) => [name, args]))
}

/** Calls without a result and results without a call. */
export function orphansIn(messages) {
  let wrong = 0
  let open = []
  for (const { role, metadata } of messages) {
    if (role === 'tool') {
      if (open.shift() !== metadata?.call_id) wrong++
      continue
    }
    wrong += open.length
    open = (metadata?.calls ?? []).map(({ id }) => id)
  }
  return wrong + open.length
}
