import type { AgentEvent } from '@mutsumi/schema'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ConversationAgent } from '../../src/interactive/agent/conversation-agent.js'
import { roomOf, type Status } from '../../src/interactive/cards/status-line.js'
import { StatusKeeper } from '../../src/interactive/conversation/status-keeper.js'

const layers = { L1: 500, L2: 0, L3: 300, user: 100, ghost: 100, todo: 0 }
const request: AgentEvent = { type: 'request-start', step: 1, tokens: 900, weight: 1000, layers }
const usage = (input: number, output: number, cached?: number): AgentEvent => ({
  type: 'usage',
  step: 1,
  usage: { input, output, ...(cached === undefined ? {} : { cached }) },
})

const agent = {
  model: 'test/model',
  rounds: 2,
  cacheMs: 5 * 60_000,
  roomOf: (weight: number, counted: typeof layers) => roomOf(weight, counted, 10_000),
  nextRoom: async () => roomOf(4000, layers, 10_000),
  usage: () => ({ rounds: [], total: { requests: 1, input: 1, output: 1, cached: 0 }, isCacheKnown: false }),
  // Only what a status asks of an agent.
} as unknown as ConversationAgent

function keeper() {
  let grown = 0
  let status: Status = { model: '', round: 0, queued: 0 }
  const keep = new StatusKeeper({
    status: () => status,
    show: (next) => {
      status = next
    },
    cold: () => {
      grown++
    },
  })
  return {
    keep,
    grown: () => grown,
    status: () => status,
    hear: (event: AgentEvent) => keep.hear(event, agent),
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('H1 requests and counts of a round are shown as they arrive, and the next request after it', async () => {
  const { keep, status, hear } = keeper()
  hear(request)
  expect(status()).toMatchObject({ round: 2, room: { used: 1000, threshold: 10_000 } })
  hear(usage(1500, 100, 750))
  expect(status()).toMatchObject({ room: { used: 1600 }, cached: 0.5 })
  expect(await keep.refresh(agent)).toEqual(status().room)
  expect(status()).toMatchObject({ model: 'test/model', room: { used: 4000 } })
})

test('H1 a summary’s tokens are not shown as the round’s, and a server without counts changes nothing', () => {
  const { status, hear } = keeper()
  hear(request)
  hear({ type: 'compaction-start', before: 9000, reason: { kind: 'asked' }, ladder: [] })
  hear(usage(9000, 500, 0))
  expect(status()).toMatchObject({ room: { used: 1000 } })
  expect(status()).not.toHaveProperty('cached')
  hear({ type: 'compaction-end', before: 9000, after: 1000, loss: [] })
  hear(usage(0, 0))
  expect(status()).toMatchObject({ room: { used: 1000 } })
})

test('H1 five minutes after the last request the cache is cold, if the provider has one', () => {
  const { keep, status, hear, grown } = keeper()
  hear(request)
  vi.advanceTimersByTime(5 * 60_000)
  expect(status().isCold).toBe(false)
  hear(request)
  hear(usage(1500, 100, 750))
  vi.advanceTimersByTime(5 * 60_000 - 1)
  expect(status().isCold).toBe(false)
  vi.advanceTimersByTime(1)
  expect(status().isCold).toBe(true)
  expect(grown()).toBe(1)
  hear(request)
  expect(status().isCold).toBe(false)
  keep.begin(agent)
  vi.advanceTimersByTime(10 * 60_000)
  expect(status()).toEqual({ model: 'test/model', round: 2, queued: 0 })
})
