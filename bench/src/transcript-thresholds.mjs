// The cost of an earlier compaction: each session as one long history, compacted by our own plan.
import { createHash } from 'node:crypto'
import { defaultSettings, ToolResultCompressor } from '@mutsumi/context'
import { policyPrice } from './policy-price.mjs'
import { row } from './report.mjs'
import { tokensOf } from './transcript-bill.mjs'
import { ourResult } from './transcript-log.mjs'

/** A million tokens: what is never compacted must fit. */
const settings = { ...defaultSettings, contextWindow: 1_000_000 }
const world = { settings, tokens: { count: tokensOf }, cacheMinutes: 5, fixed: 1000, outputPrice: 5 }
const cleanAbove = defaultSettings.history.cleanAbove

const policies = {
  'at 120 000': { compactAt: 120_000, cleanAbove },
  'at 80 000': { compactAt: 80_000, cleanAbove },
  'at 60 000': { compactAt: 60_000, cleanAbove },
  'at 40 000': { compactAt: 40_000, cleanAbove },
  'after a pause, above 40 000': { compactAt: 40_000, onlyCold: true, cleanAbove },
  'never, cleaned above 20 000': { cleanAbove: 20_000 },
  'never, not cleaned': { cleanAbove: 0 },
}

/** Against a history that is cleaned and never compacted; the long half of the sessions by itself. */
export function thresholdRows(sessions) {
  const histories = sessions.map((session) => [...eventsOf(session)])
  const never = histories.map((events) => priced(events, { cleanAbove }))
  const middle = [...never].sort((one, other) => one.largest - other.largest)[never.length >> 1].largest
  const isLong = (index) => never[index].largest >= middle
  return Object.entries(policies).map(([name, policy]) => {
    const prices = histories.map((events) => priced(events, policy))
    const cheaper = (some, those = prices) =>
      100 * (1 - total(those.filter(some)) / total(never.filter(some)))
    const compactions = prices.reduce((sum, each) => sum + each.compactions, 0)
    const short = policy.compactAt && histories.map((events) => priced(events, policy, keep20k))
    const kept = short ? `; with keep=20k ${cheaper(() => true, short).toFixed(1)} %` : ''
    return row(
      `compacted ${name}: cheaper than never`,
      cheaper(() => true),
      { unit: ' %' },
      `${compactions} compactions; in the longer half ${cheaper((_, index) => isLong(index)).toFixed(1)} %${kept}`,
    )
  })
}

const total = (prices) => prices.reduce((sum, { price }) => sum + price, 0)

const keep20k = { ...world, settings: { ...settings, retainTokens: 20_000 } }

function priced(events, policy, given = world) {
  return policyPrice(events, policy, given)
}

const compressor = new ToolResultCompressor()

/** The other agent's own compactions are left out: the session goes on as if there were room. */
function* eventsOf(session) {
  const calls = new Map()
  let last = session.find(({ at }) => at)?.at ?? new Date(0).toISOString()
  for (const message of session) {
    const { role, text = '', id, at = last } = message
    if (role === 'user') yield { kind: 'user', at, text }
    if (role === 'assistant') {
      yield { kind: 'request', at: last }
      for (const call of message.calls ?? []) calls.set(call.id, call)
      yield { kind: 'reply', at, text, ...(message.calls?.length && { calls: message.calls }) }
    }
    if (role === 'tool') {
      const { name = message.name ?? '', args = {} } = calls.get(id) ?? {}
      const content = compressor.observe(name, ourResult({ ...message, name }, args))
      const observation = createHash('sha256').update(content).digest('hex')
      yield { kind: 'result', at, tool: name, call: id, content, observation }
    }
    last = at
  }
}
