import type { JsonObject, ModelRequest } from '@mutsumi/schema'
import { describe, expect, it } from 'vitest'
import { ask, callsIn, faultIn, modelAt, reasonIn, secretKey, textIn } from '../support/asking.js'
import { chat } from '../support/dialects.js'
import { type Answer, events, wireServer } from '../support/wire-server.js'

const request: ModelRequest = { messages: [{ role: 'user', content: 'Go.' }] }

const said = (content: string, more: JsonObject = {}) => ({
  choices: [{ index: 0, delta: { content } }],
  ...more,
})
const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const json = { 'content-type': 'application/json' }

/** The events of an answer, and the number of requests. */
async function replyTo(answer: Answer) {
  const server = await wireServer(answer)
  const reply = await ask(await modelAt(server, { dialect: chat }), request)
  return { reply, asked: server.requests.length }
}

/** A reply that came whole, and was asked for once. */
async function wholeTextOf(answer: Answer): Promise<string> {
  const { reply, asked } = await replyTo(answer)
  expect([reasonIn(reply), asked]).toEqual(['stop', 1])
  return textIn(reply)
}

describe('streams as servers really send them', () => {
  it('A5 an event without data only keeps the connection', async () => {
    const steps = ['data:\n\n', ...events(said('Hi')), 'data: \n\n', ...events(end, '[DONE]')]
    expect(await wholeTextOf({ steps })).toBe('Hi')
  })

  it('A5 spaces around the end marker change nothing', async () => {
    for (const done of ['data: [DONE] \n\n', 'data:   [DONE]\n\n', 'data:[DONE]\t\n\n'])
      expect(await wholeTextOf({ steps: [...events(said('Hi'), end), done] })).toBe('Hi')
  })

  it('A5 data after the end marker is not read', async () => {
    const together = events(said('Hi'), end, '[DONE]', { error: { message: 'late' } }, said(' again')).join(
      '',
    )
    expect(await wholeTextOf({ steps: [together] })).toBe('Hi')
  })

  it('A5 lines may end with a carriage return alone', async () => {
    const steps = events(said('Hel'), said('lo'), end, '[DONE]').map((step) => step.replaceAll('\n', '\r'))
    expect(await wholeTextOf({ steps })).toBe('Hello')
  })

  it('A5 events without a blank line between them are separated as they arrive', async () => {
    const lines = events(said('Hel'), said('lo'), end, '[DONE]').map((step) => step.replace('\n\n', '\n'))
    expect(await wholeTextOf({ steps: lines })).toBe('Hello')
    const [first = '', second = ''] = lines
    const stalled = await replyTo({ steps: [first, second, 'cut'] })
    expect(stalled.reply[0]).toEqual({ type: 'text', text: 'Hel' })
  })

  it('A5 of several choices the first is used, whatever its position', async () => {
    const other = { index: 1, delta: { content: 'NO' }, finish_reason: 'length' }
    const both = { choices: [other, { index: 0, delta: { content: 'Hi' } }] }
    expect(await wholeTextOf({ steps: events(both, { choices: [other] }, end, '[DONE]') })).toBe('Hi')
  })

  it('A5 an empty finish reason counts as none', async () => {
    const quiet = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: '' }] }
    expect(await wholeTextOf({ steps: events(quiet, end, quiet) })).toBe('HiHi')
  })
})

describe('messages instead of deltas', () => {
  const whole = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' } }] }

  it('A5 pieces may be called messages', async () => {
    const pieces = ['Hel', 'lo'].map((content) => ({ choices: [{ index: 0, message: { content } }] }))
    expect(await wholeTextOf({ steps: events(...pieces, end, '[DONE]') })).toBe('Hello')
  })

  it('A5 a message that repeats all deltas is not shown twice', async () => {
    expect(await wholeTextOf({ steps: events(said('Hel'), said('lo'), whole, end, '[DONE]') })).toBe('Hello')
  })

  it('A5 a completion that was not streamed is accepted, whatever its content type', async () => {
    const body = JSON.stringify({ ...whole, usage: { prompt_tokens: 7, completion_tokens: 2 } }, undefined, 2)
    for (const headers of [json, {}]) {
      const { reply } = await replyTo({ headers, steps: [body.slice(0, 20), body.slice(20)] })
      expect(reply).toEqual([
        { type: 'text', text: 'Hello' },
        { type: 'usage', usage: { input: 7, output: 2 } },
        { type: 'end', reason: 'stop' },
      ])
    }
  })

  it('A5 calls of a completion that was not streamed run', async () => {
    const call = (path: string) => ({
      type: 'function',
      function: { name: 'Read', arguments: `{"path":"${path}"}` },
    })
    const message = { content: null, tool_calls: [call('a'), call('b')] }
    const body = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    const { reply } = await replyTo({ headers: json, steps: [JSON.stringify(body)] })
    expect(callsIn(reply).map(({ args }) => args)).toEqual([{ path: 'a' }, { path: 'b' }])
  })

  it('A5 a completion that was cut off, or other JSON, is malformed and not retried', async () => {
    const bodies = [JSON.stringify(whole).slice(0, -4), '{"status":"ok"}', '{"choices":[]}', '[]']
    for (const body of bodies) {
      const { reply, asked } = await replyTo({ headers: json, steps: [body] })
      expect([body, faultIn(reply).kind, asked]).toEqual([body, 'malformed', 1])
    }
  })
})

describe('errors as servers really send them', () => {
  it('A5 an empty error beside content is not an error', async () => {
    for (const error of [{}, '', false, 0, { code: 0 }, { code: null, message: '' }])
      expect(await wholeTextOf({ steps: events(said('Hi', { error }), end, '[DONE]') })).toBe('Hi')
  })

  it('A5 an error with a message is an error, even beside choices', async () => {
    for (const error of ['it broke', { message: 'it broke' }, { code: 0, message: 'it broke' }]) {
      const { reply } = await replyTo({ steps: events(said('Hi'), { choices: [], error }) })
      expect(faultIn(reply).message).toContain('it broke')
    }
  })

  it('A5 an error instead of a stream keeps its message, whatever its content type', async () => {
    const body = JSON.stringify({ error: { message: 'Incorrect API key provided', code: 401 } }, undefined, 2)
    for (const [headers, step] of [
      [json, body],
      [{}, body],
      [{}, `[${body}]`],
    ] as const) {
      const { reply, asked } = await replyTo({ headers, steps: [step] })
      expect(faultIn(reply)).toMatchObject({ kind: 'auth', status: 401 })
      expect(faultIn(reply).message).toContain('Incorrect API key provided')
      expect(asked).toBe(1)
    }
  })

  it('A5 an error in its own field, as llama.cpp sends it, keeps its message', async () => {
    const error = { code: 400, message: 'the request exceeds the available context size', type: 'invalid' }
    const framed = await replyTo({ steps: [`error: ${JSON.stringify(error)}\n\n`] })
    expect(faultIn(framed.reply)).toMatchObject({ kind: 'context-too-long', status: 400 })
    const plain = await replyTo({ steps: [...events(said('Hi')), 'error: out of memory\n\n'] })
    expect(textIn(plain.reply)).toBe('Hi')
    expect(faultIn(plain.reply).message).toContain('out of memory')
  })
})

describe('calls as servers really send them', () => {
  const call = (path: string, more: JsonObject = {}) => ({
    ...more,
    function: { name: 'Read', arguments: `{"path":"${path}"}` },
  })
  const called = (...calls: readonly JsonObject[]) => ({
    choices: [{ index: 0, delta: { tool_calls: calls } }],
  })
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
  const all = [{ path: 'a' }, { path: 'b' }, { path: 'b' }]

  it.each([
    [
      'without index, with the id null, in one delta',
      [called(...'abb'.split('').map((path) => call(path, { id: 'null' })))],
    ],
    [
      'without index, with the id null, in a delta each',
      'abb'.split('').map((path) => called(call(path, { id: 'null' }))),
    ],
    ['without index and without id', 'abb'.split('').map((path) => called(call(path)))],
    [
      'with the same index and the same id',
      'abb'.split('').map((path) => called(call(path, { index: 0, id: 'x' }))),
    ],
  ])('A2 calls %s are separate calls, as in older Mistral versions', async (_, deltas) => {
    const { reply } = await replyTo({ steps: events(...deltas, last, '[DONE]') })
    expect(callsIn(reply).map(({ args }) => args)).toEqual(all)
  })

  it('A2 a name and an id in every piece of one call are one call', async () => {
    const pieces = ['{"path":', '"}{', '"', '}', ''].map((input) =>
      called({ id: 'x', function: { name: 'Read', arguments: input } }),
    )
    const { reply } = await replyTo({ steps: events(...pieces, last, '[DONE]') })
    expect(callsIn(reply)).toEqual([{ id: 'x', name: 'Read', args: { path: '}{' } }])
  })
})

describe('usage', () => {
  it('A5 is read where Moonshot and Groq put it', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 4 }
    const moonshot = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }
    for (const last of [moonshot, { ...end, x_groq: { id: 'r', usage } }]) {
      const { reply } = await replyTo({ steps: events(said('Hi'), last, '[DONE]') })
      expect(reply).toContainEqual({ type: 'usage', usage: { input: 11, output: 4 } })
    }
  })
})

describe('cached tokens', () => {
  it.each([
    ['the usual one', { prompt_tokens_details: { cached_tokens: 5 } }],
    ["DeepSeek's", { prompt_cache_hit_tokens: 5 }],
    ["Moonshot's", { cached_tokens: 5 }],
  ])('A5 are read under each provider’s name: %s', async (_, named) => {
    const usage = { prompt_tokens: 11, completion_tokens: 4, ...named }
    const { reply } = await replyTo({ steps: events(said('Hi'), { ...end, usage }, '[DONE]') })
    expect(reply).toContainEqual({ type: 'usage', usage: { input: 11, output: 4, cached: 5 } })
  })
})

describe('addresses', () => {
  it('A5 a query of the base URL stays after the path, as Azure requires', async () => {
    const server = await wireServer(chat.reply({ texts: ['hi'] }))
    for (const base of ['/v1?api-version=x', '/v1/?api-version=x', '/v1/']) {
      const model = await modelAt(server, { dialect: { ...chat, basePath: base } })
      expect(textIn(await ask(model, request))).toBe('hi')
    }
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/chat/completions?api-version=x',
      '/v1/chat/completions?api-version=x',
      '/v1/chat/completions',
    ])
  })
})

describe('a key', () => {
  it('A5 is removed from the ids and the names of calls too', async () => {
    const calls = [{ id: `id-${secretKey}`, name: `Read${secretKey}`, pieces: ['{}'] }]
    const { reply } = await replyTo(chat.reply({ calls }))
    expect(callsIn(reply)).toEqual([{ id: 'id-***', name: 'Read***', args: {} }])
  })
})
