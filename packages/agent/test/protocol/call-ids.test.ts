import { openModel } from '@mutsumi/model'
import type { JsonObject } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { chat, dialects } from '../../../model/test/support/dialects.js'
import { events, wireServer } from '../../../model/test/support/wire-server.js'
import { nativeProtocol } from '../../src/protocol/native.js'
import { world } from '../support/agent.js'

const tools = [{ name: 'Read', description: 'Reads.', parameters: { type: 'object' } }]

/** Calls of Read in one event each, as a server gives them: whole, with or without an id. */
function calling(...calls: readonly JsonObject[]) {
  const made = calls.map((more, at) => ({
    ...more,
    type: 'function',
    function: { name: 'Read', arguments: JSON.stringify({ path: `${at}.txt` }) },
  }))
  return {
    steps: events(
      ...made.map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      '[DONE]',
    ),
  }
}

interface ChatOnWire {
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
  readonly content: string | null
}

/** The messages of the last request of a round in which a server replies to one after the other like this. */
async function sentAfter(...replies: readonly ReturnType<typeof calling>[]): Promise<readonly ChatOnWire[]> {
  const files = { '0.txt': 'zero\n', '1.txt': 'one\n', '2.txt': 'two\n' }
  const here = world({ files, protocol: nativeProtocol(tools) })
  const server = await wireServer(...replies, chat.reply({ texts: ['done'] }))
  const choice = { provider: 'mistral', name: 'm', baseUrl: server.url, apiKey: 'k', source: 'flag' } as const
  await here.ask('go', await openModel(choice))
  expect(server.requests).toHaveLength(replies.length + 1)
  return JSON.parse(server.requests.at(-1)?.body ?? '').messages
}

/** Ids of calls in their order, once each result was found to answer its own call. */
function idsIn(messages: readonly ChatOnWire[]): readonly string[] {
  const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
  expect(messages.flatMap(({ tool_call_id = [] }) => tool_call_id)).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  return ids
}

describe('ids of calls on the wire', () => {
  test('A2 calls without ids get our own ids, in the same reply and in the next', async () => {
    const sent = await sentAfter(calling({}, {}, {}), calling({}, {}))
    expect(idsIn(sent)).toEqual(['call', 'call_2', 'call_3', 'call_4', 'call_5'])
    const results = sent.flatMap(({ tool_call_id, content }) => (tool_call_id ? [content ?? ''] : []))
    expect(results.map((text) => /zero|one|two/.exec(text)?.[0])).toEqual([
      'zero',
      'one',
      'two',
      'zero',
      'one',
    ])
  })

  test('A2 repeated ids in one reply, as from older Mistral versions, are made unique', async () => {
    expect(idsIn(await sentAfter(calling({ id: 'null' }, { id: 'null' }, { id: 'null' })))).toEqual([
      'null',
      'null_2',
      'null_3',
    ])
  })

  test('A5 calls with the same id get unique ids, whatever the provider', async () => {
    const calls = ['0', '1', '2'].map((name) => {
      return { id: 'same', name: 'Read', pieces: [`{"path":"${name}.txt"}`] }
    })
    for (const dialect of dialects) {
      const here = world({ files: { '0.txt': 'zero\n' }, protocol: nativeProtocol(tools) })
      const server = await wireServer(dialect.reply({ calls }), dialect.reply({ texts: ['done'] }))
      const baseUrl = `${server.url}${dialect.basePath}`
      const choice = { provider: dialect.provider, name: 'm', baseUrl, apiKey: 'k', source: 'flag' } as const
      const happened = await here.ask('go', await openModel(choice))
      const ids = happened.of('tool-start').map(({ call }) => call.id)
      expect([dialect.provider, new Set(ids).size]).toEqual([dialect.provider, 3])
      expect(happened.end.answer).toBe('done')
      // Google knows results by their order; all others by their ids, once in the call and once in the result.
      const sent = server.requests[1]?.body ?? ''
      if (dialect.provider !== 'google')
        for (const id of ids) expect([id, sent.split(`"${id}"`).length - 1]).toEqual([id, 2])
    }
  })

  test('A2 Mistral gets ids of nine letters and digits, even if its own are repeated', async () => {
    const [one, other] = [
      { index: 0, id: 'abcDEF123' },
      { index: 1, id: 'abcDEF123' },
    ]
    const ids = idsIn(await sentAfter(calling(one, other), calling(one)))
    expect([ids.length, ids[0]]).toEqual([3, 'abcDEF123'])
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
  })
})
