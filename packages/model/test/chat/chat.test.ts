import type { JsonObject, ModelRequest } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { ChatReply } from '../../src/chat/chat-reply.js'
import { parseCalls } from '../../src/reply/calls.js'
import { EventStream, type WireEvent } from '../../src/wire/event-stream.js'
import { ask, callsIn, faultIn, modelAt, reasonIn, textIn } from '../support/asking.js'
import { chat } from '../support/dialects.js'
import { events, wireServer } from '../support/wire-server.js'

const tools: ModelRequest['tools'] = [{ name: 'Read', description: 'Reads.', parameters: { type: 'object' } }]
const request: ModelRequest = { messages: [{ role: 'user', content: 'Go.' }], tools }

/** The events of a reply made of these deltas. */
async function replyOf(deltas: readonly JsonObject[], finish = 'stop') {
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }))
  const end = { choices: [{ index: 0, delta: {}, finish_reason: finish }] }
  const server = await wireServer({ steps: events(...chunks, end, '[DONE]') })
  return await ask(await modelAt(server, { dialect: chat }), request)
}

const call = (args: string, more: JsonObject = {}) => ({
  tool_calls: [{ type: 'function', ...more, function: { name: 'Read', arguments: args } }],
})

describe('calls as servers really send them', () => {
  const a = { name: 'Read', args: { path: 'a' } }
  const b = { name: 'Read', args: { path: 'b' } }

  it('A5 complete calls without an index are distinguished by their ids', async () => {
    const reply = await replyOf(
      [call('{"path":"a"}', { id: 'x' }), call('{"path":"b"}', { id: 'y' })],
      'tool_calls',
    )
    expect(callsIn(reply)).toEqual([
      { id: 'x', ...a },
      { id: 'y', ...b },
    ])
  })

  it('A5 calls that all have index 0 are distinguished by their ids', async () => {
    const reply = await replyOf(
      [call('{"path":"a"}', { index: 0, id: 'x' }), call('{"path":"b"}', { index: 0, id: 'y' })],
      'tool_calls',
    )
    expect(callsIn(reply)).toEqual([
      { id: 'x', ...a },
      { id: 'y', ...b },
    ])
  })

  it('A5 an id and a name that are repeated in every piece are one call', async () => {
    const pieces = ['{"pa', 'th":', '"a"}'].map((piece) => call(piece, { index: 0, id: 'x' }))
    expect(callsIn(await replyOf(pieces, 'tool_calls'))).toEqual([{ id: 'x', ...a }])
  })

  it('A5 a late name, and pieces without an index, belong to the call before', async () => {
    const reply = await replyOf(
      [
        { tool_calls: [{ id: 'x', type: 'function', function: { arguments: '{"path":' } }] },
        { tool_calls: [{ function: { name: 'Read', arguments: '"a"}' } }] },
      ],
      'tool_calls',
    )
    expect(callsIn(reply)).toEqual([{ id: 'x', ...a }])
  })

  it('A5 arguments that are already an object are used unchanged', async () => {
    const delta = {
      tool_calls: [{ index: 0, id: 'x', function: { name: 'Read', arguments: { path: 'a' } } }],
    }
    expect(callsIn(await replyOf([delta], 'tool_calls'))).toEqual([{ id: 'x', ...a }])
  })

  it('A5 a new id in every piece of one call is one call', async () => {
    const [first = '', ...rest] = ['{"pa', 'th":', '"a"}', '']
    const piece = (input: string, more: JsonObject) => ({
      tool_calls: [{ ...more, function: { arguments: input } }],
    })
    for (const place of [{ index: 0 }, {}]) {
      const pieces = rest.map((input, at) => piece(input, { ...place, id: `x${at}` }))
      const reply = await replyOf([call(first, { ...place, id: 'x' }), ...pieces], 'tool_calls')
      expect(callsIn(reply)).toEqual([{ id: 'x', ...a }])
    }
  })

  it('A5 calls without ids are distinguished by their names, once one is complete', async () => {
    for (const place of [{}, { index: 0 }]) {
      const pieces = ['{"path":"a"}', '{"pa', 'th":"b"}'].map((piece) => call(piece, place))
      const reply = await replyOf(pieces, 'tool_calls')
      expect(callsIn(reply)).toEqual([
        { id: '', ...a },
        { id: '', ...b },
      ])
    }
  })

  it('A5 a call without arguments ends where another name begins one', async () => {
    const list = { tool_calls: [{ type: 'function', function: { name: 'LS', arguments: '' } }] }
    const reply = await replyOf([list, call('{"path":"a"}')], 'tool_calls')
    expect(callsIn(reply)).toEqual([
      { id: '', name: 'LS', args: {} },
      { id: '', ...a },
    ])
  })

  it('A5 a second call without an index whose name comes late is a separate call', async () => {
    const unnamed = { tool_calls: [{ id: 'y', function: { arguments: '{"path":' } }] }
    const rest = { tool_calls: [{ function: { name: 'Read', arguments: '"b"}' } }] }
    const reply = await replyOf([call('{"path":"a"}', { id: 'x' }), unnamed, rest], 'tool_calls')
    expect(callsIn(reply)).toEqual([
      { id: 'x', ...a },
      { id: 'y', ...b },
    ])
  })

  it('A5 calls are read in linear time, with ids and without', () => {
    const ids: readonly (readonly [number, (at: number) => string])[] = [
      [100_000, (at) => `id${at}`],
      [20_000, () => ''],
      [20_000, () => 'same'],
    ]
    for (const [count, id] of ids) {
      const make = (length: number) => {
        const calls = Array.from({ length }, (_, index) => ({
          index,
          id: id(index),
          function: { name: 'Read', arguments: '{}' },
        }))
        return { length, chunk: JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: calls } }] }) }
      }
      const read = ({ length, chunk }: ReturnType<typeof make>) => {
        const reply = new ChatReply()
        const wire = [...reply.read(chunk), ...reply.end()].flatMap((part) =>
          part.type === 'call' ? [part.call] : [],
        )
        const parsed = parseCalls(wire)
        expect('broken' in parsed ? 0 : parsed.length).toBe(length)
      }
      expect(growth(make, count / 10, read)).toBeLessThan(linear)
    }
  })

  it('A5 a call without a name runs nothing', async () => {
    const delta = { tool_calls: [{ index: 0, id: 'x', function: { arguments: '{}' } }] }
    const reply = await replyOf([delta], 'tool_calls')
    expect(callsIn(reply)).toEqual([])
    expect(faultIn(reply).kind).toBe('malformed')
  })
})

describe('text as servers really send it', () => {
  it('A5 reasoning is recognized under either of its names, and in parts', async () => {
    const reply = await replyOf([
      { reasoning_content: 'one ' },
      { reasoning: 'two ' },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'three' }] }] },
      { content: [{ type: 'text', text: 'Hel' }] },
      { content: 'lo' },
      { content: null },
    ])
    const thoughts = reply.flatMap((event) => (event.type === 'reasoning' ? [event.text] : []))
    expect(thoughts.join('')).toBe('one two three')
    expect(textIn(reply)).toBe('Hello')
    expect(reasonIn(reply)).toBe('stop')
  })

  it('A5 events without content are ignored', async () => {
    const said = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }
    const server = await wireServer({
      steps: events({ type: 'status', state: 'loading' }, said, { choices: [] }, '[DONE]'),
    })
    const reply = await ask(await modelAt(server, { dialect: chat }), request)
    expect(textIn(reply)).toBe('Hi')
    expect(reasonIn(reply)).toBe('stop')
  })
})

describe('a request', () => {
  it('A5 has the user agent, the accepted type and the key', async () => {
    const server = await wireServer(chat.reply({ texts: ['hi'] }))
    await ask(await modelAt(server, { dialect: chat }), { ...request, stop: ['END'], maxOutputTokens: 9 })
    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': 'mutsumi',
      accept: 'text/event-stream',
      authorization: expect.stringMatching(/^Bearer /),
    })
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Go.' }],
      tools: [{ type: 'function', function: tools?.[0] }],
      stop: ['END'],
      max_tokens: 9,
      stream: true,
      stream_options: { include_usage: true },
    })
  })
})

describe('a stream of events', () => {
  const line = fc.oneof(
    fc.constant(': keep alive'),
    fc.constant('event: x'),
    fc.constant(''),
    fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  )

  it('A5 is read the same in any pieces and with any line ends', () => {
    fc.assert(
      fc.property(
        fc.array(line),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat()),
        (lines, end, cuts) => {
          const bytes = new TextEncoder().encode(lines.map((text) => text + end).join(''))
          const whole = new EventStream()
          const expected = [...whole.read(bytes), ...whole.end()]
          const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((x, y) => x - y)
          const pieces = new EventStream()
          const seen: WireEvent[] = []
          let start = 0
          for (const place of [...places, bytes.length]) {
            seen.push(...pieces.read(bytes.subarray(start, place)))
            start = place
          }
          expect([...seen, ...pieces.end()]).toEqual(expected)
        },
      ),
      { numRuns: runs(500) },
    )
  })

  it('A5 is read the same with any line ends', () => {
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\r\n', '\r'), (lines, end) => {
        const [feeds, others] = ['\n', end].map((ending) => {
          const stream = new EventStream()
          const text = lines.map((one) => one + ending).join('')
          return [...stream.read(new TextEncoder().encode(text)), ...stream.end()]
        })
        expect(others).toEqual(feeds)
      }),
      { numRuns: runs(200) },
    )
  })

  it('A5 is read in linear time if it is one long event', () => {
    const piece = new TextEncoder().encode('x'.repeat(16 * 1024))
    const read = (pieces: number) => {
      const stream = new EventStream()
      const seen = [...stream.read(new TextEncoder().encode('data: '))]
      for (let count = 0; count < pieces; count++) seen.push(...stream.read(piece))
      seen.push(...stream.read(new TextEncoder().encode('\n')))
      seen.push(...stream.end())
      expect(seen.map(({ data }) => data.length)).toEqual([pieces * 16 * 1024])
    }
    expect(growth((pieces) => pieces, 200, read)).toBeLessThan(linear)
  })

  it('A5 keeps the data of several lines together and one space apart', () => {
    const stream = new EventStream()
    const text = 'data: a\ndata:b\ndata:  c\n\nid: 7\nevent: x\ndata: {}'
    expect([...stream.read(new TextEncoder().encode(text)), ...stream.end()]).toEqual([
      { name: '', data: 'a\nb\n c' },
      { name: 'x', data: '{}' },
    ])
  })
})
