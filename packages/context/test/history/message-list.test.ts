import type { AgentMessage } from '@mutsumi/schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { MessageList } from '../../src/history/message-list.js'

const messageOf = (number: number): AgentMessage => ({ role: 'user', content: `${number}` })

const changes = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 0, max: 600 }) }),
    fc.record({ kind: fc.constant('with' as const), places: fc.array(fc.nat(), { maxLength: 4 }) }),
  ),
  { maxLength: 8 },
)

test('B4 a list that grows and is rewritten equals a plain list, and earlier versions do not change', () => {
  fc.assert(
    fc.property(changes, (steps) => {
      let plain: AgentMessage[] = []
      let list = MessageList.empty
      const kept: [MessageList, AgentMessage[]][] = []
      let next = 0
      for (const step of steps) {
        if (step.kind === 'append') {
          const added = Array.from({ length: step.count }, () => messageOf(next++))
          plain = [...plain, ...added]
          list = list.append(added)
        } else if (plain.length > 0) {
          const places = step.places.map((place) => place % plain.length)
          const rewrites = places.map((position) => ({ position, message: messageOf(next++) }))
          plain = [...plain]
          for (const { position, message } of rewrites) plain[position] = message
          list = list.with(rewrites)
        }
        kept.push([list, plain])
      }
      for (const [then, expected] of kept) {
        const shared = list.sharedWith(then)
        expect(shared).toBeLessThanOrEqual(expected.length)
        for (let at = 0; at < shared; at++) expect(then.at(at)).toBe(list.at(at))
        expect(then.toArray()).toEqual(expected)
        expect([...then]).toEqual(expected)
        expect(then.length).toBe(expected.length)
        expect([then.at(0), then.at(-1), then.at(expected.length >> 1)]).toEqual([
          ...[expected[0], expected.at(-1), expected[expected.length >> 1]],
        ])
      }
    }),
    { numRuns: runs(100) },
  )
})

test('B4 a position outside the list cannot be rewritten', () => {
  expect(() => MessageList.of([messageOf(1)]).with([{ position: 1, message: messageOf(2) }])).toThrow(
    'no message 1',
  )
})

test('B4 a list that grew shares all whole pieces with the one before', () => {
  const before = MessageList.of(Array.from({ length: 1000 }, (_, number) => messageOf(number)))
  const longer = before.append([messageOf(1000)])
  expect([longer.sharedWith(before), before.sharedWith(before)]).toEqual([768, 1000])
  expect(longer.with([{ position: 300, message: messageOf(0) }]).sharedWith(longer)).toBe(256)
})
