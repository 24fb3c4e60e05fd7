/** How long a server asks to wait, in milliseconds: `Retry-After` in seconds or as a date, or Google's `retryDelay`. */
export function retryAfterMs(
  headers: ReadonlyMap<string, string>,
  { words = '', now }: { words?: string; now: number },
): number | undefined {
  const delay = /"retryDelay":\s?"(\d+(?:\.\d+)?)s"/.exec(words.slice(0, 8_000))?.[1]
  const waits = [
    numberIn(headers.get('retry-after-ms')),
    headerMs(headers.get('retry-after'), now),
    seconds(numberIn(delay)),
  ]
  const wait = waits.find((ms) => ms !== undefined)
  return wait === undefined ? undefined : Math.min(wait, longest)
}

/** Nobody waits longer than this, and later times cannot be written as a date. */
const longest = 100 * 365 * 24 * 60 * 60 * 1000

function headerMs(given: string | undefined, now: number): number | undefined {
  if (given === undefined) return undefined
  const ms = seconds(numberIn(given))
  if (ms !== undefined) return ms
  const date = /[a-z]/i.test(given) ? Date.parse(given) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function seconds(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 1000)
}

/** Only digits: `Infinity`, `-1` and `1e99` are not usable. */
function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}(?:\.\d{1,9})?\s*$/.test(text) ? Number(text) : undefined
}
