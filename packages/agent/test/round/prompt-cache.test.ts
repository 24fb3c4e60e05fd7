import { renderResult } from '@mutsumi/context/parts'
import { textOf } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import { sha256 } from '@mutsumi/session/node'
import { savedShare, weighRequests } from '@mutsumi/session/parts'
import { describe, expect, test } from 'vitest'
import { world as openWorld, PlayedModel } from '../support/agent.js'

const minute = 60_000
const file = Array.from({ length: 900 }, (_, line) => `line ${line + 1} ${'and more '.repeat(10)}`).join('\n')
const search = 'Thought: look\nAction: Grep[{"pattern":"line"}]'
// So long that shortening an earlier result does not pay yet.
const finish = `Thought: ok\nAction: Finish[${'seen '.repeat(10_000)}]`
const done = 'Thought: ok\nAction: Finish[done]'

/** Rounds that search one file, and the clock between them. */
async function played(cacheMinutes = 5) {
  let now = Date.now()
  const world = openWorld({ files: { 'a.ts': file }, now: () => now })
  const ask = async (prompt: string, replies: readonly string[]) => {
    const model = new PlayedModel(replies, { cache: { minutes: cacheMinutes } })
    await world.ask(prompt, model)
    return model.requests.map(({ messages }) =>
      messages.map((message) => `${message.role}: ${textOf(message)}`),
    )
  }
  return {
    world,
    ask,
    wait: (ms: number) => {
      now += ms
    },
  }
}

const startsWith = (longer: readonly string[], shorter: readonly string[]) =>
  shorter.every((message, index) => longer[index] === message)

describe('the history while a provider has it in its cache', () => {
  test('C5 the next round begins with the whole request before it, results in full', async () => {
    const { ask } = await played()
    const first = await ask('one', [search, finish])
    const next = await ask('two', [done])
    expect(startsWith(next[0] ?? [], first.at(-1) ?? [])).toBe(true)
  })

  test('C5 another process continues where the last one stopped', async () => {
    const { world, ask } = await played()
    const first = await ask('one', [search, finish])
    await ask('two', [done])
    await world.reopen()
    const third = await ask('three', [done])
    expect(startsWith(third[0] ?? [], first.at(-1) ?? [])).toBe(true)
  })

  test('C5 after a pause the results are short, and stay short', async () => {
    const { world, ask, wait } = await played()
    const first = await ask('one', [search, finish])
    wait(6 * minute)
    const second = await ask('two', [done])
    expect(startsWith(second[0] ?? [], first.at(-1) ?? [])).toBe(false)
    const size = (request: readonly string[] = []) => request.join('').length
    expect(size(second[0])).toBeLessThan(size(first.at(-1)) + 45_000)
    await world.reopen()
    const third = await ask('three', [done])
    expect(startsWith(third[0] ?? [], second[0] ?? [])).toBe(true)
  })

  test('C5 a clock that jumps back counts as warm', async () => {
    const { ask, wait } = await played()
    const first = await ask('one', [search, finish])
    wait(-60 * minute)
    const second = await ask('two', [done])
    expect(startsWith(second[0] ?? [], first.at(-1) ?? [])).toBe(true)
  })

  test('C5 a provider without a cache gets short results at once', async () => {
    const { ask } = await played(0)
    const first = await ask('one', [search, finish])
    const second = await ask('two', [done])
    expect(startsWith(second[0] ?? [], first.at(-1) ?? [])).toBe(false)
  })

  test('C5 N4 every request can be rebuilt byte for byte, whatever rewrites were waiting', async () => {
    const { world, ask, wait } = await played()
    await ask('one', [search, finish])
    await ask('two', [search, finish])
    wait(6 * minute)
    await ask('three', [done])
    const session = await world.file()
    const sources = {
      textOf: (hash: string) => session.snapshotText(hash),
      hash: sha256,
      render: renderResult,
    }
    const kinds = session.facts.requests.map(({ id }) => replayRequest(session.records, { id }, sources).kind)
    expect(kinds).toEqual(['request', 'request', 'request', 'request', 'request'])
    expect(session.facts.requests.map(({ shortened }) => shortened)).toContain(0)
  })

  test('C5 if a tool takes longer than the cache lasts, rewrites are free inside its round', async () => {
    const { world, ask, wait } = await played()
    await ask('one', [search, finish])
    const model = new PlayedModel(
      [
        {
          during: async () => {
            wait(10 * minute)
          },
          say: 'Thought: list\nAction: LS[{}]',
        },
        done,
      ],
      { cache: { minutes: 5 } },
    )
    await world.ask('two', model)
    const [before, after] = model.requests.map(({ messages }) => messages.map(textOf).join('').length)
    expect(after).toBeLessThan((before ?? 0) - 5000)
  })

  test('C5 the message before the first rewritten one is marked for the cache, at most four are', async () => {
    const { world, ask } = await played()
    await ask('one', [search, finish])
    const before = await ask('two', [search, done])
    const model = new PlayedModel([done], { cache: { minutes: 5 } })
    await world.ask('three', model)
    const [{ messages, cacheAfter = [] } = { messages: [] }] = model.requests
    const shown = messages.map((message) => `${message.role}: ${textOf(message)}`)
    const same = shown.findIndex((message, index) => message !== before.at(-1)?.[index])
    expect(same).toBeGreaterThan(3)
    expect(cacheAfter).toEqual([0, same - 1, messages.length - 1])
  })

  test('C5 the records show what shortening saved compared with plain append', async () => {
    const costs = { read: 0.1, write: 1.25, minutes: 5 }
    const { world, ask, wait } = await played()
    await ask('one', [search, finish])
    await ask('two', [done])
    const { records } = await world.file()
    const warm = weighRequests(records, costs)
    expect(warm.map(({ paid, plain }) => paid / plain)).toEqual([
      1,
      expect.closeTo(1, 2),
      expect.closeTo(1, 2),
    ])
    wait(6 * minute)
    await ask('three', [done])
    expect(savedShare(weighRequests((await world.file()).records, costs).slice(-1))).toBeGreaterThan(0.05)
  })
})
