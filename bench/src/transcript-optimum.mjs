// The cheapest way to rewrite a history, computed afterwards.
import { prices } from './transcript-bill.mjs'

/**
 * The exact least cost of a segment's requests, if cuts and stubs are carried out at the best requests, each time from
 * the best place on. A rewrite breaks the cache from its place on, so it affects the messages at its place and after it.
 * So between two requests `a` and `b`, the messages from place `x` on that no rewrite has affected yet cost
 *
 *     f(a, b, x) = min( message x, unchanged from a to b + f(a, b, x+1),  f(a, t, x) + f(t, b, x) for a < t < b )
 *
 * `short[i][x]`: tokens of message x at request i if everything is carried out. `cold[i]`: request i finds no cache.
 * `first[i]`: it begins a round. Only these can be worth a rewrite.
 */
export function optimalPrice({ short, cold, first }) {
  const ends = [...short.keys()].filter((i) => i === 0 || cold[i] || first[i])
  ends.push(short.length)
  const width = ends.length
  const places = Math.max(...short.map(({ length }) => length))
  let after = new Float64Array(width * width)
  for (let x = places - 1; x >= 0; x--) {
    const seen = short.findIndex(({ length }) => length > x)
    const costs = new Float64Array(width * width)
    for (let span = 1; span < width; span++)
      for (let a = 0; a + span < width; a++) {
        const b = a + span
        let best = Number.POSITIVE_INFINITY
        if (!ends.slice(a + 1, b).some((i) => cold[i]))
          best = unchanged({ x, seen, from: ends[a], to: ends[b] }, short) + after[a * width + b]
        for (let t = a + 1; t < b; t++) best = Math.min(best, costs[a * width + t] + costs[t * width + b])
        costs[a * width + b] = best
      }
    after = costs
  }
  return after[width - 1]
}

/** The cost of a message that is written at request `from`, or at the first that has it, and read up to request `to`. */
function unchanged({ x, seen, from, to }, short) {
  const written = Math.max(from, seen)
  return written >= to ? 0 : short[written][x] * (prices.write + prices.read * (to - written - 1))
}
