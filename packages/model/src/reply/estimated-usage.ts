import { type ModelRequest, type TokenUsage, textOf } from '@mutsumi/schema'

/** Usage for models that do not report it: a third of the characters, as everywhere else in Mutsumi. */
export function estimatedUsage({ messages }: ModelRequest, reply: string): TokenUsage {
  const characters = messages.reduce((sum, message) => sum + textOf(message).length, 0)
  return { input: Math.floor(characters / 3), output: Math.floor(reply.length / 3) }
}
