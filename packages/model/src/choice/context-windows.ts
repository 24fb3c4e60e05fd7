/**
 * Context windows of well-known models in tokens, by the beginning of their names. Settings and servers take
 * precedence.
 */
const windows: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-(?:[5-9]|\d\d)/, 400_000],
  [/^gpt-4o|^chatgpt-4o/, 128_000],
  [/^o[134]/, 200_000],
  [/^claude-/, 200_000],
  [/^gemini-/, 1_048_576],
]

export function knownContextWindow(name: string): number | undefined {
  return windows.find(([pattern]) => pattern.test(name))?.[1]
}
