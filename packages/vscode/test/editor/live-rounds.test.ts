import { expect, test } from 'vitest'
import { LiveRounds } from '../../src/editor/live-rounds.js'
import { newRound } from '../../src/notebook/round-output.js'

const shown = (cell: string) => ({ round: newRound(cell), summary: { success: true } })

test('the newest rounds of a window stay as they were shown, older ones and those of closed notebooks do not', () => {
  const live = new LiveRounds()
  for (let index = 0; index < 1000; index++) live.end(`c${index}`, shown(`c${index}`))
  const kept = Array.from({ length: 1000 }, (_, index) => `c${index}`).filter((cell) => live.read(cell, 'r'))
  expect(kept.length).toBeLessThanOrEqual(100)
  expect(kept.at(-1)).toBe('c999')
  live.forget(['c999', undefined, 'unknown'])
  expect(live.read('c999', 'r')).toBeUndefined()
  expect(live.read('c998', 'r')).toEqual(shown('c998'))
})
