import { lengthTokenCounter, type TokenCounter } from './ports.js'
import type { ContextSettings } from './settings.js'
import { loadTokenizer, type ModelFamily } from './tokenizer.js'

/** The counter that `tokens.estimator` names, for a model such as `anthropic/claude-…`. Only the tokenizer loads data. */
export async function openTokenCounter(
  { tokens: { estimator } }: Pick<ContextSettings, 'tokens'>,
  model = '',
): Promise<TokenCounter> {
  switch (estimator) {
    case 'length':
      return lengthTokenCounter
    case 'tokenizer':
      return loadTokenizer({ family: familyOf(model) })
    default:
      return estimator satisfies never
  }
}

/** Decided by the model's own name, because a gateway may serve models of any vendor. */
export function familyOf(model: string): ModelFamily {
  if (/claude/i.test(model)) return 'claude'
  if (/gemini/i.test(model)) return 'gemini'
  return /^openai\/|\bgpt-|\bo[1-9]\b/i.test(model) ? 'openai' : 'other'
}
