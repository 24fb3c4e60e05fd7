import { expect, test } from 'vitest'
import { summaryOf } from '../../src/notebook/round-times.js'

const time = { order: 3, start: '2026-03-01T09:00:00.000Z', end: '2026-03-01T09:00:01.500Z' }

test('a recorded round has its number and its times, if they are valid', () => {
  const startTime = Date.parse(time.start)
  expect(summaryOf({ state: 'done', parts: [] }, time)).toEqual({
    ...{ success: true, executionOrder: 3 },
    timing: { startTime, endTime: startTime + 1500 },
  })
  expect(summaryOf({ state: 'failed', parts: [] }, { ...time, end: 'unknown' })).toEqual({
    success: false,
    executionOrder: 3,
  })
  expect(
    summaryOf({ state: 'interrupted', parts: [] }, { ...time, end: '2026-02-01T09:00:00.000Z' }),
  ).toEqual({
    success: false,
    executionOrder: 3,
  })
  expect(summaryOf({ state: 'done', parts: [] }, undefined)).toEqual({ success: true })
})

test('P7 a round whose model answered after a refusal is a success, one that was only refused is not', () => {
  const text = { kind: 'text', text: 'So I did it otherwise.' } as const
  expect(summaryOf({ state: 'denied', parts: [text] }, undefined)).toEqual({ success: true })
  expect(summaryOf({ state: 'denied', parts: [] }, undefined)).toEqual({ success: false })
})
