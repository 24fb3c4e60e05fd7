/** As much of a hash as a model copies to name a recorded result: 64 digits would cost it 40 tokens each time. */
const length = 8

/** The id that Recall takes for the result of this hash; more of the hash names it too. */
export function recallId(hash: string): string {
  return hash.slice(0, length)
}
