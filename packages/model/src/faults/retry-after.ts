/** How long a server asks to wait, in milliseconds: `Retry-After` in seconds or as a date, or Google's `retryDelay`. */
export function retryAfterMs(
  headers: ReadonlyMap<string, string>,
  { words = '', now }: { words?: string; now: number },
): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (exact >= 0) return exact
  const given = headers.get('retry-after')
  if (given !== undefined) {
    const seconds = Number(given)
    if (given.trim() !== '' && seconds >= 0) return Math.round(seconds * 1000)
    const date = Date.parse(given)
    if (!Number.isNaN(date)) return Math.max(0, date - now)
  }
  const delay = /"retryDelay":\s?"(\d+(?:\.\d+)?)s"/.exec(words.slice(0, 8_000))?.[1]
  return delay === undefined ? undefined : Math.round(Number(delay) * 1000)
}
