import { expect, test } from 'vitest'
import { hear, newRound } from '../../src/notebook/round-output.js'
import { usageByCell, withUsage } from '../../src/notebook/round-usage.js'

const usage = { input: 1000, output: 10, cached: 400 }

test('H2 a round has the tokens of all its requests, and their price if one is known', () => {
  const priced = hear(
    hear(newRound('c1'), { type: 'usage', step: 1, usage }, () => 0.5),
    {
      ...{ type: 'usage', step: 2, usage },
    },
  )
  expect(priced.usage).toEqual({ input: 2000, output: 20, cached: 800, cost: 0.5 })
  expect(withUsage(undefined, usage)).toEqual({ input: 1000, output: 10, cached: 400 })
})

test('H2 a recorded request is priced by its own model and day', () => {
  const request = { type: 'request', number: 1, keep: 0, add: [], fingerprint: '' } as const
  const facts = {
    requests: [
      { ...request, id: 'r1', cell: 'c1', model: 'a/old', at: '2026-01-01T00:00:00.000Z' },
      { ...request, id: 'r2', cell: 'c1', model: 'a/new', at: '2026-02-01T00:00:00.000Z' },
    ],
    usage: new Map([
      ['r1', usage],
      ['r2', usage],
    ]),
  } as unknown as Parameters<typeof usageByCell>[0]
  const asked: unknown[] = []
  const found = usageByCell(facts, (_, each) => {
    asked.push(each)
    return 0.25
  })
  expect(found.get('c1')).toMatchObject({ input: 2000, cost: 0.5 })
  expect(asked).toEqual([
    { model: 'a/old', at: '2026-01-01T00:00:00.000Z' },
    { model: 'a/new', at: '2026-02-01T00:00:00.000Z' },
  ])
})
