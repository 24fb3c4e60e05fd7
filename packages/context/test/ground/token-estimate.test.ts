import type { AgentMessage } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { MessageTokens, nextRequestTokens, tokensPerImage } from '../../src/ground/token-estimate.js'
import {
  calibratedCounter,
  readCalibration,
  recalibrate,
  type UsageCalibration,
  uncalibrated,
} from '../../src/ground/token-estimate-calibration.js'
import { lengthTokenCounter } from '../support/engine.js'

const user = (content: AgentMessage['content']): AgentMessage => ({ role: 'user', content })
const picture = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${'A'.repeat(9000)}`, detail: 'auto' },
} as const

describe('the next request', () => {
  test('K1 it is the last usage plus a third of the new text', () => {
    const counter = new MessageTokens(lengthTokenCounter)
    const earlier = [user('x'.repeat(3000))]
    expect(nextRequestTokens({ counter, lastUsage: 159_999, newText: 'abcde', earlier })).toBe(160_000)
  })

  test('K1 until a provider reports a count, the whole request is estimated', () => {
    const counter = new MessageTokens(lengthTokenCounter)
    const earlier = [user('x'.repeat(3000)), user([{ type: 'text', text: 'abc' }, picture])]
    const whole = 1000 + 1 + tokensPerImage + 2
    expect(nextRequestTokens({ counter, newText: '123456', earlier })).toBe(whole)
    for (const lastUsage of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(nextRequestTokens({ counter, lastUsage, newText: '123456', earlier })).toBe(whole)
  })

  test('K1 new pictures count', () => {
    const counter = new MessageTokens(lengthTokenCounter)
    const size = nextRequestTokens({ counter, lastUsage: 10, newText: '', newImages: 2, earlier: [] })
    expect(size).toBe(10 + 2 * tokensPerImage)
  })
})

describe('messages', () => {
  test('K1 a message is counted once, however often a history is counted', () => {
    const counted: string[] = []
    const counter = new MessageTokens({ count: (text) => counted.push(text) && text.length })
    const history = [user('one'), user('three')]
    expect(counter.total(history)).toBe(8)
    expect(counter.total([...history, user('!')])).toBe(9)
    expect(counted).toEqual(['one', 'three', '!'])
  })

  test('K1 the sum of any lists, one after another, is the sum of their messages, also of a list that was changed', () => {
    const texts = ['a', 'bcd', 'efghi', 'jklmnop'].map((text) => user(text.repeat(5)))
    const lists = fc.array(fc.array(fc.constantFrom(...texts), { maxLength: 6 }), { maxLength: 6 })
    fc.assert(
      fc.property(lists, (given) => {
        const counter = new MessageTokens({ count: (text) => text.length })
        const changed: AgentMessage[] = []
        for (const list of given) {
          const sum = list.reduce((total, message) => total + counter.of(message), 0)
          expect(counter.total(list)).toBe(sum)
          changed.splice(0, 1, ...list)
          const all = changed.reduce((total, message) => total + counter.of(message), 0)
          expect([counter.total(changed), counter.total(changed)]).toEqual([all, all])
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('K1 calls count if the text does not contain them', () => {
    const counter = new MessageTokens(lengthTokenCounter)
    const calls = [{ id: '1', name: 'Write', args: { path: 'a', content: 'x'.repeat(3000) } }]
    expect(counter.of({ role: 'assistant', content: '', metadata: { calls } })).toBeGreaterThan(1000)
    const spelled = `Action: Write[${JSON.stringify(calls[0]?.args)}]`
    const message: AgentMessage = { role: 'assistant', content: spelled, metadata: { calls } }
    expect(counter.of(message)).toBe(Math.floor(spelled.length / 3))
  })
})

describe('calibration', () => {
  test('K1 the first reply sets the ratio, later ones move it', () => {
    const first = recalibrate(uncalibrated, { estimated: 1000, reported: 1200 })
    expect(first).toEqual({ ratio: 1.2, replies: 1 })
    const second = recalibrate(first, { estimated: 1000, reported: 1000 })
    expect(second.ratio).toBeGreaterThan(1)
    expect(second.ratio).toBeLessThan(1.2)
    expect(first).toEqual({ ratio: 1.2, replies: 1 })
  })

  test('K1 from equal replies the exact ratio is learnt', () => {
    let calibration: UsageCalibration = { ratio: 2, replies: 1 }
    for (let reply = 0; reply < 50; reply++)
      calibration = recalibrate(calibration, { estimated: 1000, reported: 1300 })
    expect(calibration.ratio).toBeCloseTo(1.3, 5)
    expect(calibratedCounter({ count: () => 1000 }, calibration).count('')).toBe(1301)
  })

  test('K1 reports without counts change nothing', () => {
    const known = { ratio: 1.3, replies: 4 }
    const reports = [
      { estimated: 0, reported: 100 },
      { estimated: 1000, reported: 0 },
      { estimated: 1000, reported: Number.NaN },
      { estimated: Number.NaN, reported: 1000 },
      { estimated: 1000, reported: Number.POSITIVE_INFINITY },
      { estimated: 10, reported: 300 },
      { estimated: 1000, reported: -5 },
    ]
    for (const report of reports) expect(recalibrate(known, report)).toBe(known)
  })

  test('K1 the ratio survives saving, and a damaged file counts as no ratio', () => {
    const learnt = recalibrate(uncalibrated, { estimated: 3000, reported: 4000 })
    expect(readCalibration(JSON.parse(JSON.stringify(learnt)))).toEqual(learnt)
    expect(readCalibration({ ratio: 9, replies: 3 })).toEqual({ ratio: 2, replies: 3 })
    const damaged = [null, 1, 'x', [], {}, { ratio: '1', replies: 1 }, { ratio: null, replies: 2 }]
    for (const saved of [
      ...damaged,
      { ratio: 1.5 },
      { ratio: 1.5, replies: -1 },
      { ratio: 1.5, replies: 0.5 },
    ])
      expect(readCalibration(saved)).toBe(uncalibrated)
  })

  test('K1 whatever is reported, the ratio stays between a half and two', () => {
    const report = fc.record({ estimated: fc.double(), reported: fc.double() })
    const plausible = fc.record({ estimated: fc.nat(200_000), reported: fc.nat(400_000) })
    fc.assert(
      fc.property(fc.array(fc.oneof(report, plausible), { maxLength: 30 }), (reports) => {
        const { ratio, replies } = reports.reduce(recalibrate, uncalibrated)
        expect(ratio).toBeGreaterThanOrEqual(0.5)
        expect(ratio).toBeLessThanOrEqual(2)
        expect(replies).toBeLessThanOrEqual(reports.length)
      }),
      { numRuns: runs(500) },
    )
  })
})
