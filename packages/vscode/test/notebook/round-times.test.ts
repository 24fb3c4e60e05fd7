import { expect, test } from 'vitest'
import { summaryOf } from '../../src/notebook/round-times.js'

const time = { order: 3, start: '2026-03-01T09:00:00.000Z', end: '2026-03-01T09:00:01.500Z' }

test('a recorded round has its number and its times, if they are valid', () => {
  const startTime = Date.parse(time.start)
  expect(summaryOf({ state: 'done' }, time)).toEqual({
    ...{ success: true, executionOrder: 3 },
    timing: { startTime, endTime: startTime + 1500 },
  })
  expect(summaryOf({ state: 'failed' }, { ...time, end: 'unknown' })).toEqual({
    success: false,
    executionOrder: 3,
  })
  expect(summaryOf({ state: 'interrupted' }, { ...time, end: '2026-02-01T09:00:00.000Z' })).toEqual({
    success: false,
    executionOrder: 3,
  })
  expect(summaryOf({ state: 'done' }, undefined)).toEqual({ success: true })
})
