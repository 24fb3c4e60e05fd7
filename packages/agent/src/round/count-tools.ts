import type { TokenCounter } from '@mutsumi/context'

/** Tokens of the tools that are described beside the messages. Providers put them into the prompt in about this form. */
export function countTools(tools: unknown, tokens: TokenCounter): number {
  return Array.isArray(tools) && tools.length > 0 ? tokens.count(JSON.stringify(tools)) : 0
}
