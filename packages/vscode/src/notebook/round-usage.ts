import type { SessionFacts } from '@mutsumi/session'
import type { RoundUsage } from './round-output.js'

/** The usage of a session's rounds, by the ids of their cells. */
export function usageByCell({ requests, usage }: SessionFacts): ReadonlyMap<string, RoundUsage> {
  const found = new Map<string, RoundUsage>()
  for (const { id, cell } of requests) {
    const counted = usage.get(id)
    if (!counted) continue
    const before = found.get(cell) ?? { input: 0, output: 0, cached: 0 }
    found.set(cell, {
      input: before.input + counted.input,
      output: before.output + counted.output,
      cached: before.cached + (counted.cached ?? 0),
    })
  }
  return found
}
