import type { TokenCounter } from './ports.js'
import { tokenizerPieces } from './tokenizer-pieces.js'

/** The model's vendor, as far as the token count depends on it. */
export type ModelFamily = 'openai' | 'claude' | 'gemini' | 'other'

export interface TokenizerOptions {
  readonly family?: ModelFamily
  /** Tokens of the model per token of o200k, if it is known better than by family. */
  readonly factor?: number
}

/**
 * Tokens of each family for one token of o200k. OpenAI's newer models use o200k itself; 1.17 for Claude is the
 * contract's own number, not a measurement of ours. Nothing reliable is known about the others: 1, until their
 * reported usage corrects it (see `UsageCalibration`).
 */
const familyFactors: Readonly<Record<ModelFamily, number>> = {
  openai: 1,
  claude: 1.17,
  gemini: 1,
  other: 1,
}

/** How much text is counted before the tokenizer's cache is cleared. */
const sweepAfter = 4 * 1024 * 1024

/**
 * A counter that uses a real tokenizer, in linear time for any text. Loading takes a quarter of a second and 64 MiB,
 * so it happens only here. The second call costs nothing.
 */
export async function loadTokenizer(options: TokenizerOptions = {}): Promise<TokenCounter> {
  const { family = 'other', factor = familyFactors[family] } = options
  if (!(factor > 0 && Number.isFinite(factor)))
    throw new RangeError(`a tokenizer's factor is a number above 0, not ${factor}`)
  const { countTokens, clearMergeCache } = await import('gpt-tokenizer/encoding/o200k_base')
  let unswept = 0
  return {
    count(text) {
      let tokens = 0
      for (const piece of tokenizerPieces(text)) tokens += countTokens(piece, asText)
      unswept += text.length
      if (unswept > sweepAfter) {
        // It caches slices of counted text, and a slice keeps the whole text in memory.
        clearMergeCache()
        unswept = 0
      }
      return Math.ceil(tokens * factor)
    },
  }
}

/** `<|endoftext|>` in a text is plain text. */
const asText = { disallowedSpecial: new Set<string>() }
