import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { ModelRequest } from '@mutsumi/schema'
import { flat, type Turn, Turns } from './turns.js'

/** A request as the providers of the AI SDK take it. */
export function toProviderMessages(
  request: ModelRequest,
  { cacheMarks }: { readonly cacheMarks: boolean },
): LanguageModelV3Prompt {
  const turns = new Turns(request)
  const marks = cacheMarks ? marked(request) : noMarks
  request.messages.forEach((message, position) => {
    turns.add(message)
    if (marks.has(position)) turns.markCache()
  })
  const out: LanguageModelV3Message[] = []
  for (const turn of turns.all) out.push(...toMessages(turn))
  return out
}

/** Anthropic takes four marks; the last ones cover what the first ones do. */
function marked({ cacheAfter = [] }: ModelRequest): ReadonlySet<number> {
  return new Set([...cacheAfter].sort((one, other) => one - other).slice(-4))
}

const noMarks: ReadonlySet<number> = new Set()

function toMessages(turn: Turn): readonly LanguageModelV3Message[] {
  switch (turn.role) {
    case 'system':
      return flat(turn.parts).map(({ text, providerOptions }) => ({
        role: 'system',
        content: text,
        ...(providerOptions && { providerOptions }),
      }))
    case 'user':
      return [{ role: 'user', content: flat(turn.parts) }]
    case 'assistant':
      return [{ role: 'assistant', content: flat(turn.parts) }]
    case 'tool':
      return [{ role: 'tool', content: flat(turn.parts) }]
    default:
      return turn satisfies never
  }
}
