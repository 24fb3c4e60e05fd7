import type { WireEndReason } from '../wire/wire-part.js'

/** Why a reply ended, guessed from a provider's own word that is not in a table. */
export function endByWord(word: string | undefined): WireEndReason {
  if (word === undefined || word === '') return 'cut'
  if (/^(?:model_length|max_(?:output_|completion_)?tokens|model_context_window_exceeded)$/i.test(word))
    return 'length'
  if (/^(?:eos|eos_token|end_turn|end|complete|completed|stop_sequence)$/i.test(word)) return 'stop'
  if (/^(?:sensitive|safety|content_filtered|guardrail)/i.test(word)) return 'filter'
  if (/^refus/i.test(word)) return 'refusal'
  // DeepSeek, Zhipu and OpenRouter report their own failures this way.
  if (/^(?:insufficient_system_resource|network_error|error|abort)/i.test(word)) return 'broken'
  return 'other'
}
