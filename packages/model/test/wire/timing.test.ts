import { setTimeout as wait } from 'node:timers/promises'
import type { ModelEvent } from '@mutsumi/schema'
import { describe, expect, it } from 'vitest'
import { ask, faultIn, hello, modelAt, reasonIn, textIn } from '../support/asking.js'
import { chat, dialectOf } from '../support/dialects.js'
import { type Answer, events, failure, namedEvents, type Step, wireServer } from '../support/wire-server.js'

const once = { retry: { tries: 1 } } as const
const ping: Step = ': ping\n\n'
const anthropicPing: Step = 'event: ping\ndata: {"type": "ping"}\n\n'

function pings(step: Step, count: number): Step[] {
  return Array.from({ length: count }, () => [{ waitMs: 40 }, step]).flat()
}

/** A text again and again, each time in two pieces. */
function inHalves(text: string, count: number): Step[] {
  const half = Math.floor(text.length / 2)
  return Array.from({ length: count }, () => [
    { waitMs: 20 },
    text.slice(0, half),
    { waitMs: 20 },
    text.slice(half),
  ]).flat()
}

describe('timeouts', () => {
  it('A5 a missing first byte is a timeout before any output, so the request is retried', async () => {
    const server = await wireServer({ silent: true, steps: [] }, chat.reply({ texts: ['hi'] }))
    const all = await ask(await modelAt(server, { timeouts: { firstByteMs: 1000 } }))
    expect(all[0]).toMatchObject({ type: 'retry', fault: { kind: 'timeout' } })
    expect(textIn(all)).toBe('hi')
  })

  it('A5 headers and comments do not count as content', async () => {
    const server = await wireServer({ steps: [...pings(ping, 30), 'hang'] })
    const all = await ask(await modelAt(server, { ...once, timeouts: { firstContentMs: 400 } }))
    expect(faultIn(all)).toMatchObject({ kind: 'timeout', message: expect.stringContaining('0.4 s') })
  })

  it('A5 a stall after comments is detected, and the text so far stays', async () => {
    const { steps } = chat.reply({ texts: ['Half'] })
    const server = await wireServer({ steps: [...steps.slice(0, 2), ...pings(ping, 60), 'hang'] })
    const all = await ask(await modelAt(server, { timeouts: { idleMs: 500 } }))
    expect(textIn(all)).toBe('Half')
    expect(faultIn(all)).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('it sent no content for'),
    })
    expect(server.requests).toHaveLength(1)
  })

  it('A5 a stall after pings of Anthropic is detected', async () => {
    const dialect = dialectOf('anthropic')
    const { steps } = dialect.reply({ texts: ['Half', 'more'] })
    const server = await wireServer({ steps: [...steps.slice(0, 4), ...pings(anthropicPing, 60), 'hang'] })
    const all = await ask(await modelAt(server, { dialect, timeouts: { idleMs: 500 } }))
    expect(textIn(all)).toBe('Half')
    expect(faultIn(all).kind).toBe('timeout')
  })

  const roleOnly = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }
  const emptyDelta = { choices: [{ index: 0, delta: {}, finish_reason: null }] }
  const silences: readonly (readonly [string, Answer])[] = [
    ['no byte at all', { silent: true, steps: [] }],
    ['headers and then silence', { steps: ['hang'] }],
    ['a role and then silence', { steps: [...events(roleOnly), 'hang'] }],
    ['empty deltas for ever', { steps: [...pings(events(roleOnly, emptyDelta).join(''), 60), 'hang'] }],
    ['empty deltas in halves', { steps: [...inHalves(events(emptyDelta).join(''), 40), 'hang'] }],
  ]

  it.each(silences)('A5 %s is a stall, which is retried only once', async (_, answer) => {
    const server = await wireServer(answer)
    const timeouts = { firstByteMs: 500, firstContentMs: 500, idleMs: 60_000 }
    const all = await ask(await modelAt(server, { timeouts }))
    expect(all.map(({ type }) => type)).toEqual(['retry', 'fault'])
    expect(faultIn(all)).toMatchObject({ kind: 'timeout', message: expect.stringContaining('0.5 s') })
    expect(faultIn(all).message).toMatch(/timeouts\.first(?:Byte|Content)Ms/)
    expect(server.requests).toHaveLength(2)
  })

  it('A5 empty events of the SDK’s providers do not count as content either', async () => {
    for (const provider of ['openai', 'anthropic', 'google'] as const) {
      const dialect = dialectOf(provider)
      const { steps } = dialect.reply({ texts: ['Hi'] })
      const opening = provider === 'google' ? [] : steps.slice(0, 1)
      const empty = {
        openai: namedEvents({ type: 'response.in_progress', response: { id: 'r' } }),
        anthropic: [anthropicPing],
        google: events({ candidates: [{ index: 0, content: { role: 'model', parts: [] } }] }),
      }[provider]
      const server = await wireServer({ steps: [...opening, ...pings(empty.join(''), 60), 'hang'] })
      const all = await ask(
        await modelAt(server, { ...once, dialect, timeouts: { firstContentMs: 600, idleMs: 60_000 } }),
      )
      expect([provider, faultIn(all).kind]).toEqual([provider, 'timeout'])
    }
  })

  it('A5 thoughts and pieces of a call count as content', async () => {
    const thoughts = ['a', 'b', 'c', 'd', 'e'].map((text) => ({
      choices: [{ index: 0, delta: { reasoning_content: text } }],
    }))
    const calls = [{ id: '1', name: 'Write', pieces: ['{"a":', '"', 'x', 'y', 'z', '"', '}'] }]
    const steps = [...events(...thoughts), ...chat.reply({ calls }).steps]
    const slow = steps.flatMap((step): Step[] => [{ waitMs: 150 }, step])
    const all = await ask(
      await modelAt(await wireServer({ steps: slow }), { timeouts: { firstContentMs: 1000, idleMs: 1000 } }),
    )
    expect(reasonIn(all)).toBe('calls')
  })

  it('A5 a slow reader gets no stall fault', async () => {
    // Two writes, so that the second waits to be read.
    const { steps } = chat.reply({ texts: ['a', 'b', 'c'] })
    const server = await wireServer({
      steps: [steps.slice(0, 2).join(''), { waitMs: 100 }, ...steps.slice(2), 'hang'],
    })
    const model = await modelAt(server, { timeouts: { idleMs: 400 } })
    const heard: ModelEvent[] = []
    for await (const event of model.stream(hello)) {
      heard.push(event)
      if (heard.length === 1) await wait(1200)
    }
    expect(textIn(heard)).toBe('abc')
    expect(reasonIn(heard)).toBe('stop')
  })

  it('A5 slow data is not a stall', async () => {
    const { steps } = chat.reply({ texts: [...'abcdefghij'] })
    const slow = steps.flatMap((step): Step[] => [{ waitMs: 150 }, step])
    const all = await ask(await modelAt(await wireServer({ steps: slow }), { timeouts: { idleMs: 1500 } }))
    expect(textIn(all)).toBe('abcdefghij')
    expect(reasonIn(all)).toBe('stop')
  })

  it('A5 one long event in many pieces is not a stall', async () => {
    const { steps } = chat.reply({ texts: ['x'.repeat(200)] })
    const whole = steps.join('')
    const pieces = Array.from({ length: 12 }, (_, index): Step[] => [
      { waitMs: 150 },
      whole.slice((index * whole.length) / 12, ((index + 1) * whole.length) / 12),
    ]).flat()
    const all = await ask(await modelAt(await wireServer({ steps: pieces }), { timeouts: { idleMs: 1500 } }))
    expect(textIn(all)).toBe('x'.repeat(200))
  })
})

describe('cancelling', () => {
  const { steps } = chat.reply({ texts: ['Half'] })
  const cases: readonly (readonly [string, Answer])[] = [
    ['before the first byte', { silent: true, steps: [] }],
    ['between headers and data', { steps: ['hang'] }],
    ['in the middle of a reply', { steps: [...steps.slice(0, 2), 'hang'] }],
    ['while it waits to ask again', failure(429, { error: { message: 'wait' } }, { 'retry-after': '50' })],
  ]

  it.each(cases)('A5 %s answers at once', async (_, answer) => {
    const server = await wireServer(answer)
    const model = await modelAt(server, { retry: { sleep: defaultSleep } })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 150)
    // Without the cancel it would wait longer than this test may take, or ask a second time.
    const all = await ask(model, hello, stop.signal)
    expect(faultIn(all)).toEqual({ kind: 'cancelled', message: 'The request was cancelled.' })
    expect(server.requests).toHaveLength(1)
  })

  it('A5 a request that was already cancelled is never sent', async () => {
    const server = await wireServer(chat.reply({ texts: ['hi'] }))
    const all = await ask(await modelAt(server), hello, AbortSignal.abort())
    expect(faultIn(all).kind).toBe('cancelled')
    expect(server.requests).toEqual([])
  })

  it('A5 if the reader stops, the connection is closed', async () => {
    const server = await wireServer({ steps: [...steps.slice(0, 2), 'hang'] })
    const model = await modelAt(server)
    const heard: ModelEvent[] = []
    for await (const event of model.stream(hello)) {
      heard.push(event)
      break
    }
    expect(heard).toEqual([{ type: 'text', text: 'Half' }])
    await expect.poll(() => server.requests[0]?.socket.destroyed).toBe(true)
  })
})

describe('connections', () => {
  it('A5 if nothing answers, the message names the address and asks whether the server runs', async () => {
    const server = await wireServer()
    const model = await modelAt({ ...server, url: 'http://127.0.0.1:1' })
    const all = await ask(model)
    expect(all).toHaveLength(1)
    expect(faultIn(all).kind).toBe('network')
    expect(faultIn(all).message).toContain('127.0.0.1:1')
    expect(faultIn(all).message).toContain('is the server running?')
  })

  it('A5 an unknown host is reported as such', async () => {
    const server = await wireServer()
    const fault = faultIn(await ask(await modelAt({ ...server, url: 'http://no-such-host.invalid' }, once)))
    expect(fault.kind).toBe('network')
    expect(fault.message).toContain('no-such-host.invalid')
  })

  it('A5 a server that does not speak TLS is reported as such', async () => {
    const server = await wireServer(chat.reply({ texts: ['hi'] }))
    const fault = faultIn(await ask(await modelAt({ ...server, url: server.url.replace('http', 'https') })))
    expect(fault).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('does not use TLS as expected'),
    })
  })

  it('A5 a request whose connection breaks before any text is retried', async () => {
    const server = await wireServer({ steps: ['cut'] }, chat.reply({ texts: ['hi'] }))
    const all = await ask(await modelAt(server))
    expect(all[0]).toMatchObject({ type: 'retry', fault: { kind: 'network' } })
    expect(textIn(all)).toBe('hi')
  })

  it('A5 a connection is used again for the next request', async () => {
    // The end of the answer comes a little after its last word.
    const { steps } = chat.reply({ texts: ['hi'] })
    const server = await wireServer({ steps: [...steps, { waitMs: 30 }] })
    const model = await modelAt(server)
    for (let round = 0; round < 3; round++) {
      expect(textIn(await ask(model))).toBe('hi')
      await wait(300)
    }
    expect(new Set(server.requests.map(({ socket }) => socket)).size).toBe(1)
  })

  it('A5 a kept connection that the server closed meanwhile costs no retry', async () => {
    const server = await wireServer(chat.reply({ texts: ['hi'] }))
    const model = await modelAt(server)
    await ask(model)
    server.requests[0]?.socket.destroy()
    const all = await ask(model)
    expect(textIn(all)).toBe('hi')
    expect(all.some(({ type }) => type === 'retry')).toBe(false)
  })

  it('A5 many requests at once do not mix', async () => {
    const server = await wireServer(chat.reply({ texts: ['a', 'b', 'c'] }))
    const model = await modelAt(server)
    const all = await Promise.all(Array.from({ length: 8 }, () => ask(model)))
    expect(all.map(textIn)).toEqual(Array.from({ length: 8 }, () => 'abc'))
  })
})

/** The product's own timeouts. */
async function defaultSleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { defaultRetryPlan } = await import('../../src/retry.js')
  await defaultRetryPlan.sleep(ms, signal)
}
