import { defaultSettings } from '@mutsumi/context'
import { renderResult } from '@mutsumi/context/parts'
import { textOf } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import { sha256 } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { nativeProtocol } from '../../src/protocol/native.js'
import { world as openWorld, type Played, PlayedModel } from '../support/agent.js'

const minute = 60_000
const text = Array.from({ length: 200 }, (_, line) => `line ${line + 1} of the file`).join('\n')
const read = (name: string) => `Thought: look\nAction: Read[{"path":"${name}"}]`
const write = (name: string) =>
  `Thought: change\nAction: Write[${JSON.stringify({ path: name, content: 'new line\n'.repeat(100) })}]`
const finish = 'Thought: ok\nAction: Finish[done]'

/** Four rounds, each with a Read; the first one writes a file too. */
async function played(cleanAbove: number) {
  let now = Date.now()
  const world = openWorld({
    files: { 'a.ts': text, 'b.ts': text, 'c.ts': text, 'd.ts': text },
    settings: { ...defaultSettings, history: { rewrite: 'priced', cleanAbove, stubs: true } },
    allow: ['Write'],
    now: () => now,
  })
  const ask = async (prompt: string, replies: readonly Played[]) => {
    const model = new PlayedModel(replies, { cache: { minutes: 5 } })
    const happened = await world.ask(prompt, model)
    return { happened, messages: model.requests[0]?.messages.map(textOf) ?? [] }
  }
  await ask('one', [write('new.ts'), read('a.ts'), finish])
  await ask('two', [read('b.ts'), finish])
  await ask('three', [read('c.ts'), finish])
  await ask('four', [read('d.ts'), finish])
  return {
    world,
    ask,
    wait: (ms: number) => {
      now += ms
    },
  }
}

const isWhole = (messages: readonly string[]) =>
  messages.filter((message) => message.includes('line 199 of the file')).length

describe('a long history after a pause', () => {
  test('C6 results and inputs of all but the two newest rounds become one line, and a note says what it saved', async () => {
    const { ask, wait } = await played(3000)
    wait(6 * minute)
    const { messages, happened } = await ask('five', [finish])
    expect(isWhole(messages)).toBe(2)
    expect(messages.some((message) => message.includes('"recall"') && message.split('\n').length === 1)).toBe(
      true,
    )
    expect(messages.some((message) => message.includes('characters left out, Recall'))).toBe(true)
    const [warning] = happened.of('warning').map((event) => event.warning)
    expect(warning).toMatchObject({ code: 'history-cleaned' })
    expect(warning?.message).toMatch(/about \d+ tokens instead of \d+/)
  })

  test('C6 it stops as soon as the history is short enough, oldest first', async () => {
    const { ask, wait } = await played(5500)
    wait(6 * minute)
    const { messages } = await ask('five', [finish])
    expect(isWhole(messages)).toBe(3)
    expect(messages.findIndex((message) => message.includes('"recall"'))).toBeLessThan(
      messages.findIndex((message) => message.includes('line 199')),
    )
  })

  test('C6 nothing is cleaned if the cache is warm or the setting is 0', async () => {
    const warm = await played(3000)
    expect(isWhole((await warm.ask('five', [finish])).messages)).toBe(4)
    const off = await played(0)
    off.wait(6 * minute)
    expect(isWhole((await off.ask('five', [finish])).messages)).toBe(4)
  })

  test('C6 Recall returns a cleaned result and a cleaned input', async () => {
    const { world, ask, wait } = await played(3000)
    wait(6 * minute)
    const { messages } = await ask('five', [finish])
    const result = messages.join('\n').match(/"recall":"([^"]+)"/)?.[1]
    const input = messages.join('\n').match(/left out, Recall ([^)]+)\)/)?.[1]
    await world.reopen()
    const recall = (id: string | undefined) => `Thought: again\nAction: Recall[${JSON.stringify({ id })}]`
    const model = new PlayedModel([recall(result), recall(input), finish])
    await world.ask('six', model)
    const seen = model.requests.at(-1)?.messages.map(textOf).slice(-4) ?? []
    expect(seen[1]).toContain('line 199 of the file')
    expect(seen[3]).toContain('new line\\nnew line')
  })

  test('C6 undo brings everything back, and it is not cleaned again', async () => {
    const { world, ask, wait } = await played(3000)
    wait(6 * minute)
    await ask('five', [finish])
    const file = await world.file()
    const [made] = (file.session.compactions ?? []).flatMap((act) => ('id' in act ? [act] : []))
    await file.add({ type: 'compaction', compaction: { undo: made?.id ?? '' } })
    wait(6 * minute)
    expect(isWhole((await ask('six', [finish])).messages)).toBe(4)
  })

  test('C6 N4 every request can be rebuilt, and another process sees the same history', async () => {
    const { world, ask, wait } = await played(3000)
    wait(6 * minute)
    const { messages } = await ask('five', [finish])
    await world.reopen()
    const next = await ask('six', [finish])
    expect(next.messages.slice(0, messages.length)).toEqual(messages)
    const session = await world.file()
    const sources = {
      textOf: (hash: string) => session.snapshotText(hash),
      hash: sha256,
      render: renderResult,
    }
    for (const { id } of session.facts.requests)
      expect(replayRequest(session.records, { id }, sources).kind).toBe('request')
  })

  test('C6 native calls keep their ids and lose their long inputs', async () => {
    let now = Date.now()
    const world = openWorld({
      settings: { ...defaultSettings, history: { rewrite: 'priced', cleanAbove: 10, stubs: true } },
      protocol: nativeProtocol([]),
      allow: ['Write'],
      now: () => now,
    })
    const args = { path: 'n.ts', content: 'text '.repeat(200) }
    const call = { type: 'call', call: { id: 'w', name: 'Write', args } } as const
    const said = [{ type: 'text', text: 'done' } as const, { type: 'end', reason: 'stop' } as const]
    const model = () =>
      new PlayedModel([[call, { type: 'end', reason: 'calls' }], said], { cache: { minutes: 5 } })
    await world.ask('one', model())
    await world.ask('two', new PlayedModel([said]))
    await world.ask('three', new PlayedModel([said]))
    now += 10 * minute
    const last = new PlayedModel([said], { cache: { minutes: 5 } })
    await world.ask('four', last)
    const calls = last.requests[0]?.messages.flatMap(({ metadata }) => metadata?.calls ?? [])
    expect(calls).toEqual([
      { id: 'w', name: 'Write', args: { path: 'n.ts', content: '(1000 characters left out, Recall w)' } },
    ])
  })
})
