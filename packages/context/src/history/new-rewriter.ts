import type { AgentMessage } from '@mutsumi/schema'
import type { TokenCounter } from '../ground/ports.js'
import type { ContextSettings } from '../ground/settings.js'
import { PricedRewriter } from './priced-rewriter.js'
import type { Rewriter } from './rewriter.js'
import { RoundRewriter } from './round-rewriter.js'

export interface RewriterPorts {
  readonly tokens: TokenCounter
  /** A recorded message as it is sent. */
  readonly sent: (message: AgentMessage) => AgentMessage
  readonly observation?: ((id: string) => string | undefined) | undefined
}

/** The policy that `history.rewrite` names. */
export function newRewriter(
  { history, prices }: Pick<ContextSettings, 'history' | 'prices'>,
  { tokens, sent, observation = () => undefined }: RewriterPorts,
): Rewriter {
  switch (history.rewrite) {
    case 'round':
      return new RoundRewriter(sent)
    case 'priced':
      return new PricedRewriter({ tokens, sent, prices, observation })
    default:
      return history.rewrite satisfies never
  }
}
