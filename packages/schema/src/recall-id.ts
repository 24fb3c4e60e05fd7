/**
 * The number of hash digits that a model must copy to name a recorded result. All 64 would cost 40 tokens each time.
 */
const length = 8

/** The id that Recall takes for the result with this hash. Recall also accepts more digits. */
export function recallId(hash: string): string {
  return hash.slice(0, length)
}
