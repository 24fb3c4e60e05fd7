import type { TokenCounter } from '../ports.js'
import type { ContextSettings } from '../settings.js'
import { PricedRewriter } from './priced-rewriter.js'
import type { Rewriter } from './rewriter.js'
import { RoundRewriter } from './round-rewriter.js'

export interface RewriterPorts {
  readonly tokens: TokenCounter
  readonly observation?: ((id: string) => string | undefined) | undefined
}

/** The policy that `history.rewrite` names. */
export function newRewriter(
  { history, prices }: Pick<ContextSettings, 'history' | 'prices'>,
  { tokens, observation = () => undefined }: RewriterPorts,
): Rewriter {
  switch (history.rewrite) {
    case 'round':
      return new RoundRewriter()
    case 'priced':
      return new PricedRewriter({ tokens, prices, observation })
    default:
      return history.rewrite satisfies never
  }
}
