import type { TokenCounter } from '@mutsumi/context'

/** What the tools take that are described beside the messages: providers put them into the prompt in about this form. */
export function countTools(tools: unknown, tokens: TokenCounter): number {
  return Array.isArray(tools) && tools.length > 0 ? tokens.count(JSON.stringify(tools)) : 0
}
