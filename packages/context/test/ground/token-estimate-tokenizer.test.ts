import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { linkProgram } from '../../../../test/support/bundle-program.js'
import { growth, linear, timesAsLong } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { defaultSettings } from '../../src/ground/settings.js'
import { familyOf, openTokenCounter } from '../../src/ground/token-estimator.js'
import { loadTokenizer, type ModelFamily } from '../../src/ground/tokenizer.js'
import { tokenizerPieces } from '../../src/ground/tokenizer-pieces.js'

const prose = `The quick brown fox's tail isn't 1234567 cm long; "really"?
  export const täglich = (名前: string) => { return \`\${名前}！\` } // 你好，世界。😀👩‍👩‍👧 e\u0301
\tif (a<=b && c/d) path/to/file.ts:10 — МОСКВА москва ไทย한국어\r\n\r\n`

const plain = (text: string) => countTokens(text, { disallowedSpecial: new Set() })

describe('counting', () => {
  test('K1 ordinary text is counted exactly as the tokenizer does', async () => {
    const tokens = await loadTokenizer({ family: 'openai' })
    const text = prose.repeat(20)
    expect([...tokenizerPieces(text)]).toEqual([text])
    expect(tokens.count(text)).toBe(plain(text))
    expect(tokens.count('')).toBe(0)
    expect(tokens.count('hello world')).toBe(2)
  })

  test('K1 a model family has its factor, rounded up, and an explicit factor overrides it', async () => {
    const count = async (family: ModelFamily) => (await loadTokenizer({ family })).count(prose)
    expect(await count('claude')).toBe(Math.ceil(plain(prose) * 1.17))
    for (const family of ['openai', 'gemini', 'other'] as const)
      expect(await count(family)).toBe(plain(prose))
    expect((await loadTokenizer()).count(prose)).toBe(plain(prose))
    expect((await loadTokenizer({ family: 'claude', factor: 2 })).count(prose)).toBe(plain(prose) * 2)
    for (const factor of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(loadTokenizer({ factor })).rejects.toThrow(RangeError)
  })

  test('K1 special tokens in a text count as text', async () => {
    const tokens = await loadTokenizer()
    for (const special of ['<|endoftext|>', '<|endofprompt|>', '<|im_start|>', '<|fim_prefix|>'])
      expect([special, tokens.count(special) > 3]).toEqual([special, true])
    expect(tokens.count(`${'<|endoftext|>'.repeat(1000)}`)).toBeGreaterThan(3000)
  })

  test('K1 lone surrogates are counted, and no character is split', async () => {
    const tokens = await loadTokenizer()
    for (const text of [
      '\ud800',
      '\udc00',
      'a\ud800b',
      '\udc00'.repeat(3000),
      `${'\ud83d\ude00'.repeat(3000)}\ud83d`,
    ])
      expect(tokens.count(text)).toBeGreaterThan(0)
    for (const piece of tokenizerPieces(`x${'😀'.repeat(3000)}`)) expect(piece).not.toMatch(/\p{Cs}/u)
  })
})

const hundredThousand = (piece: string) => piece.repeat(100_000 / piece.length)
const runsWithoutBreak = [
  ...[
    'a',
    'A',
    ' ',
    '\n',
    '\t',
    '!',
    '=',
    '好',
    '😀',
    '\u0301',
    '0',
    'é',
    '\u3000',
    '\0',
    '\ud800',
    '\u200d',
  ],
  // Texts that the tokenizer's pattern treats as one piece although the kind changes: spaces, line ends after marks, accents.
  ...[' \u3000', '\r\n', '/\n', '!/\r\n', 'e\u0301', '—-', 'ab', 'Aa', '\u0301-', ' \n', 'aé'],
]

describe('hostile texts', () => {
  test('K1 100 KB without a break take at most twenty times as long as mixed text', async () => {
    const tokens = await loadTokenizer()
    const mixed = hundredThousand(prose)
    const normal = () => tokens.count(mixed)
    for (const piece of runsWithoutBreak) {
      const text = hundredThousand(piece)
      const times = timesAsLong(() => tokens.count(text), normal, 20)
      expect([piece, times < 20]).toEqual([piece, true])
    }
  })

  test('K1 counting takes linear time, whatever is counted', async () => {
    const tokens = await loadTokenizer()
    // Letters that never repeat, so that the tokenizer's own memory does not help.
    let seed = 1
    const next = () => (seed = (seed * 48271) % 2147483647)
    const random = (size: number, first: number, many: number) =>
      Array.from({ length: size }, () => String.fromCharCode(first + (next() % many))).join('')
    for (const [first, many] of [
      [0x61, 26],
      [0x4e00, 20_000],
      [0x21, 14],
    ] as const)
      expect(growth((size) => random(size, first, many), 3000, tokens.count)).toBeLessThan(linear)
    for (const piece of runsWithoutBreak)
      expect([piece, growth((size) => piece.repeat(size), 3000, tokens.count) < linear]).toEqual([
        piece,
        true,
      ])
  })

  test('K1 a cut costs less than two tokens in a hundred bytes', async () => {
    const tokens = await loadTokenizer()
    for (const piece of runsWithoutBreak) {
      const text = piece.repeat(2000 / piece.length)
      const bytes = new TextEncoder().encode(text).length
      expect([piece, Math.abs(tokens.count(text) - plain(text)) <= bytes / 50]).toEqual([piece, true])
    }
  })
})

describe('properties of the pieces', () => {
  const soup = fc
    .array(
      fc.tuple(
        fc.constantFrom(
          'a',
          'Z',
          ' ',
          '\n',
          '/',
          '!',
          '好',
          '😀',
          '\u0301',
          '7',
          '\ud800',
          '\udc00',
          'ab c',
          '\r\n',
        ),
        fc.nat(400),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(''))

  test('K1 the pieces, joined, are the text, and no character is split', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const pieces = [...tokenizerPieces(text)]
        expect(pieces.join('')).toBe(text)
        for (const piece of pieces.slice(1)) expect(piece).not.toBe('')
        const halves = (texts: readonly string[]) =>
          texts.join('').length - texts.flatMap((each) => [...each]).length
        expect(halves(pieces)).toBe(halves([text]))
      }),
      { numRuns: runs(300) },
    )
  })

  test('K1 no piece contains a sequence that the tokenizer would take long to merge', () => {
    // The tokenizer's own pattern. What joins either side, such as emoji, may be counted to the run before it.
    const stretch =
      /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+/gu
    fc.assert(
      fc.property(soup, (text) => {
        for (const piece of tokenizerPieces(text))
          for (const [found] of piece.matchAll(stretch))
            expect(new TextEncoder().encode(found).length).toBeLessThanOrEqual(3 * 256)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('the estimator that is set', () => {
  const text = 'some words of an ordinary text, and then some more of them'
  const counted = async (estimator: 'length' | 'tokenizer', model?: string) =>
    (await openTokenCounter({ tokens: { estimator } }, model)).count(text)

  test('K1 it is a third of the length, unless the tokenizer is set', async () => {
    expect(defaultSettings.tokens.estimator).toBe('length')
    expect(await counted('length')).toBe(Math.floor(text.length / 3))
    expect(await counted('tokenizer')).toBe((await loadTokenizer()).count(text))
  })

  test('K1 the model’s family has its factor', async () => {
    const plain = await counted('tokenizer', 'openai/gpt-5')
    expect(await counted('tokenizer', 'anthropic/claude-sonnet-4-5')).toBe(Math.ceil(plain * 1.17))
    const names = [
      'openai/gpt-5',
      'openai-compatible/o3',
      'google/gemini-3-pro',
      'openai-compatible/qwen3',
      '',
    ]
    expect(names.map(familyOf)).toEqual(['openai', 'openai', 'gemini', 'other', 'other'])
    expect(familyOf('openai-compatible/anthropic.claude-opus')).toBe('claude')
  })
})

describe('loading', () => {
  test('K1 importing the engine does not load the tokenizer: it is imported on demand only', async () => {
    const text = `export * from './index.js'; export { loadTokenizer } from './ground/tokenizer.js'`
    const folder = fileURLToPath(new URL('../../src', import.meta.url))
    const alias = {
      '@mutsumi/schema': fileURLToPath(new URL('../../../schema/src/index.ts', import.meta.url)),
    }
    const [chunk] = await linkProgram({ text, folder }, { alias })
    const ofTokenizer = (names: readonly string[]) => names.filter((name) => name.startsWith('gpt-tokenizer'))
    expect(ofTokenizer(chunk.imports)).toEqual([])
    expect(ofTokenizer(chunk.dynamicImports)).toHaveLength(1)
  })
})
