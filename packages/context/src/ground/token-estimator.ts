import { lengthTokenCounter, type TokenCounter } from './ports.js'
import type { ContextSettings } from './settings.js'
import { loadTokenizer, type ModelFamily } from './tokenizer.js'

/** The counter that `tokens.estimator` names, for a model such as `anthropic/claude-…`. Only the tokenizer loads anything. */
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

/** By the model's own name: a gateway may serve anybody's. */
export function familyOf(model: string): ModelFamily {
  if (/claude/i.test(model)) return 'claude'
  if (/gemini/i.test(model)) return 'gemini'
  return /^openai\/|\bgpt-|\bo[1-9]\b/i.test(model) ? 'openai' : 'other'
}
