import type { LanguageModelV3FinishReason } from '@ai-sdk/provider'
import type { FinishReason } from '@mutsumi/schema'

export interface FinishFacts {
  readonly hasCalls: boolean
  readonly refused: boolean
}

/** Why a reply ended, or `cut`: it did not end, it ceased. `broken`: the provider says that it failed. */
export function finishOf(
  { unified, raw }: LanguageModelV3FinishReason,
  { hasCalls, refused }: FinishFacts,
): FinishReason | 'cut' | 'broken' {
  switch (unified) {
    case 'stop':
      return refused ? 'refusal' : hasCalls ? 'calls' : 'stop'
    case 'tool-calls':
      return 'calls'
    case 'length':
      return 'length'
    case 'content-filter':
      return refused || raw === 'refusal' ? 'refusal' : 'filter'
    case 'error':
      return raw === undefined ? 'cut' : 'broken'
    case 'other':
      return finishByName(raw, hasCalls)
    default:
      return unified satisfies never
  }
}

/** Names that the SDK does not know. */
function finishByName(raw: string | undefined, hasCalls: boolean): FinishReason | 'cut' | 'broken' {
  if (raw === undefined || raw === '') return 'cut'
  if (/^(?:model_length|max_(?:output_|completion_)?tokens|model_context_window_exceeded)$/i.test(raw))
    return 'length'
  if (/^(?:eos|eos_token|end_turn|end|complete|completed|stop_sequence)$/i.test(raw))
    return hasCalls ? 'calls' : 'stop'
  if (/^(?:sensitive|safety|content_filtered|guardrail)/i.test(raw)) return 'filter'
  if (/^refus/i.test(raw)) return 'refusal'
  // DeepSeek, Zhipu and OpenRouter tell of their own failures so.
  if (/^(?:insufficient_system_resource|network_error|error|abort)/i.test(raw)) return 'broken'
  return 'other'
}
