import { defaultSettings } from '@mutsumi/context'
import type { ItemAct } from '@mutsumi/schema'
import type { SentMessage } from '@mutsumi/session'
import { sentMessage } from '@mutsumi/session/parts'
import { expect, test } from 'vitest'
import { nextRequest, sharedTokens } from '../../src/round/next-request.js'
import { PlayedModel, world } from '../support/agent.js'

const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`
const drop: ItemAct = { act: 'drop', type: 'file', key: 'big.txt' }
const sum = (layers: object) => Object.values(layers).reduce((all, tokens) => all + tokens, 0)

test('H1 the next request is weighed by the provider’s count, and nothing is recorded', async () => {
  const here = world()
  const host = await here.host(new PlayedModel([]))
  const first = await nextRequest(host)
  expect(first.weight).toBe(first.tokens.total)
  const usage = { type: 'usage', usage: { input: 40_000, output: 100 } } as const
  const replies = [[{ type: 'text', text: finish('ok') }, usage, { type: 'end', reason: 'stop' }]] as const
  await here.ask('hello', replies)
  const records = (await here.file()).records.length
  const next = await nextRequest(await here.host(new PlayedModel([])))
  expect(next.weight).toBeGreaterThanOrEqual(40_000)
  expect(next.weight).toBeLessThan(40_200)
  expect(next.history.rounds.shown).toBe(1)
  expect((await here.file()).records).toHaveLength(records)
})

test('H1 G8 an act that is not recorded shows what it would save', async () => {
  const here = world({ files: { 'big.txt': 'word '.repeat(3000) } })
  await here.ask('Look at @[big.txt]', [finish('ok')])
  const host = await here.host(new PlayedModel([]))
  const [before, after] = [await nextRequest(host), await nextRequest(host, { acts: [drop] })]
  expect(before.tokens.total - after.tokens.total).toBeGreaterThan(4900)
  expect(after.items).toMatchObject([{ key: 'big.txt', dropped: true }])
  expect(await nextRequest(host)).toEqual(before)
})

test('H1 the shared beginning of two requests is counted up to the first character that differs', async () => {
  const { tokens } = await world().host(new PlayedModel([]))
  const system = { role: 'system' as const, content: 'a'.repeat(30) }
  const user = (content: string) => ({ role: 'user' as const, content })
  const sent: SentMessage[] = [system, user('b'.repeat(30)), user('c')].map(sentMessage)
  expect(sharedTokens(sent, [system, user('b'.repeat(30)), user('c'), user('d')], tokens)).toBe(20)
  expect(sharedTokens(sent, [system, user(`${'b'.repeat(15)}x`), user('c')], tokens)).toBe(15)
  expect(sharedTokens(sent, [{ ...system, role: 'user' }, user('b')], tokens)).toBe(0)
  expect(sharedTokens([], [system], tokens)).toBe(0)
})

test('H1 every request reports its tokens by layer', async () => {
  const files = { 'AGENTS.md': 'Be brief. '.repeat(20), 'big.txt': 'word '.repeat(300), 'a.ts': 'x\n' }
  const here = world({
    files,
    settings: { ...defaultSettings, ghost: { ...defaultSettings.ghost, format: 'json' } },
  })
  await here.ask('first question', [finish('an answer')])
  const happened = await here.ask('Look at @[big.txt]', [
    'Thought: t\nAction: Read[{"path":"a.ts"}]',
    finish('ok'),
  ])
  const [first, second] = happened.of('request-start')
  for (const request of [first, second]) {
    const total = sum(request?.layers ?? {})
    expect(Math.abs(total - (request?.tokens ?? 0))).toBeLessThanOrEqual(2)
    expect(request?.weight).toBe(request?.tokens)
  }
  expect(first?.layers).not.toHaveProperty('scratchpad')
  expect(first?.layers.L2).toBeGreaterThan(60)
  expect(first?.layers.ghost).toBeGreaterThan(500)
  expect(second?.layers.scratchpad).toBeGreaterThan(0)
  expect({ ...second?.layers, scratchpad: 0 }).toEqual({ ...first?.layers, scratchpad: 0 })
})
