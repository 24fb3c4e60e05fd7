import { defaultSettings } from '@mutsumi/context'
import {
  type PolicyPrice,
  type PricedPolicy,
  type PricedWorld,
  policyPrice,
  type SessionEvent,
} from '@mutsumi/context/parts'
import { expect, test } from 'vitest'

const world: PricedWorld = {
  settings: { ...defaultSettings, contextWindow: 200_000 },
  tokens: { count: (text) => text.length },
  cacheMinutes: 5,
  fixed: 1000,
  outputPrice: 5,
}

function price(
  events: readonly SessionEvent[],
  policy: PricedPolicy,
  other: PricedWorld = world,
): PolicyPrice {
  const work = policyPrice(events, policy, other)
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** A question and an answer of 1 000 characters each, `minutes` after the round before. */
function talk(rounds: number, minutes: number): readonly SessionEvent[] {
  const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * minutes * 60_000).toISOString()
  return Array.from({ length: rounds }, (_, index): readonly SessionEvent[] => [
    { kind: 'user', at: at(index), text: 'q'.repeat(1000) },
    { kind: 'request', at: at(index) },
    { kind: 'reply', at: at(index), text: 'a'.repeat(1000), final: true },
  ]).flat()
}

const never = { cleanAbove: 0 }

test('K1 with a warm cache each token is written once and read by every later request', () => {
  const { requests, cached, written, largest, price: paid } = price(talk(10, 1), never)
  // 1 000 of the system, then a question more, and an answer and a question more with each round.
  const sizes = Array.from({ length: 10 }, (_, index) => 2000 + index * 2000)
  expect({ requests, largest, written }).toEqual({ requests: 10, largest: 20_000, written: 20_000 })
  expect(cached).toBe(sizes.reduce((sum, size) => sum + size, 0) - written)
  expect(paid).toBeCloseTo(written * 1.25 + cached * 0.1)
})

test('K1 with a cold cache, or with another model each time, all of it is written', () => {
  expect(price(talk(10, 6), never).cached).toBe(0)
  const models = talk(10, 1).map((event, index) =>
    event.kind === 'request' ? { ...event, model: `m${index}` } : event,
  )
  expect(price(models, never).cached).toBe(0)
})

test('K1 an earlier threshold sends less and pays for its summaries', () => {
  const all = price(talk(60, 1), never)
  const early = price(talk(60, 1), { compactAt: 40_000, cleanAbove: 0 })
  expect(early.compactions).toBeGreaterThan(1)
  expect(early.largest).toBeLessThanOrEqual(40_000)
  expect(early.cached + early.written).toBeLessThan(all.cached + all.written)
  expect(early.summaries).toBeGreaterThan(early.compactions * 5 * 100)
  expect(early.price).toBeCloseTo(early.cached * 0.1 + early.written * 1.25 + early.summaries)
  expect(all).toMatchObject({ compactions: 0, summaries: 0 })
})

test('K1 a compaction after a pause breaks no cache', () => {
  const policy = { compactAt: 40_000, onlyCold: true, cleanAbove: 0 }
  expect(price(talk(60, 1), policy).compactions).toBe(0)
  const pausing = [
    ...talk(30, 1),
    ...talk(30, 1).map((event) => ({ ...event, at: `2026-02${event.at.slice(7)}` })),
  ]
  const made = price(pausing, policy)
  expect(made.compactions).toBe(1)
  expect(made.price).toBeLessThan(price(pausing, never).price)
})

test('C6 old results become a line each after a pause, if the history is cleaned', () => {
  const reads = talk(12, 6).flatMap((event, index): readonly SessionEvent[] => {
    if (event.kind !== 'request') return [event]
    const { at } = event
    const [id, path] = [`r${index}`, `src/${index}.ts`]
    const content = JSON.stringify({ status: 'success', data: { path, content: '1\tx\n'.repeat(2000) } })
    return [
      event,
      { kind: 'reply', at, text: 'look', calls: [{ id, name: 'Read', args: { path } }] },
      { kind: 'result', at, tool: 'Read', call: id, content, observation: `o${id}` },
      event,
    ]
  })
  const cleaned = price(reads, { cleanAbove: 40_000 })
  const whole = price(reads, never)
  expect(cleaned.cleanings).toBeGreaterThan(0)
  expect(whole.cleanings).toBe(0)
  expect(cleaned.price).toBeLessThan(whole.price)
})
