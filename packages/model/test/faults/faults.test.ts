import { openModel } from '@mutsumi/model'
import type { ModelEvent, ModelFault } from '@mutsumi/schema'
import { describe, expect, it } from 'vitest'
import { ask, callsIn, faultIn, hello, modelAt, reasonIn, secretKey, textIn } from '../support/asking.js'
import { chat, dialectOf, dialects } from '../support/dialects.js'
import { type Answer, events, failure, namedEvents, wireServer } from '../support/wire-server.js'

const apiError = (message: string, more: object = {}) => ({ error: { message, ...more } })

/** The fault that ends a request to a server which always answers so. */
async function faultOf(answer: Answer, options: Parameters<typeof modelAt>[1] = {}): Promise<ModelFault> {
  return faultIn(await ask(await modelAt(await wireServer(answer), options)))
}

function retriesIn(all: readonly ModelEvent[]) {
  return all.flatMap((event) => (event.type === 'retry' ? [event] : []))
}

describe('refusals of the server', () => {
  it('A5 401: the key is refused without a retry, and the message says where the key is set', async () => {
    const server = await wireServer(
      failure(401, apiError('invalid x-api-key', { type: 'authentication_error' })),
    )
    const all = await ask(await modelAt(server, { dialect: dialectOf('anthropic') }))
    expect(all).toHaveLength(1)
    expect(faultIn(all)).toMatchObject({ kind: 'auth', status: 401 })
    expect(faultIn(all).message).toContain('ANTHROPIC_API_KEY')
    expect(faultIn(all).message).toContain('invalid x-api-key')
    expect(server.requests).toHaveLength(1)
  })

  it('A5 if no key was sent, the message says to set one', async () => {
    const server = await wireServer(failure(401, apiError('missing key')))
    const choice = { provider: 'anthropic', name: 'm', baseUrl: `${server.url}/v1`, source: 'flag' } as const
    const fault = faultIn(await ask(await openModel(choice)))
    expect(fault.message).toContain('No key was sent: set MUTSUMI_API_KEY or ANTHROPIC_API_KEY')
    expect(server.requests[0]?.headers['x-api-key']).toBe('none')
  })

  it('A5 403 means a problem with the key too', async () => {
    expect(await faultOf(failure(403, apiError('no access to this project')))).toMatchObject({
      kind: 'auth',
      status: 403,
    })
  })

  it('A5 400 with an invalid key, as Google reports it, means a problem with the key', async () => {
    const body = {
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
      },
    }
    expect(await faultOf(failure(400, body), { dialect: dialectOf('google') })).toMatchObject({
      kind: 'auth',
    })
  })

  it('A5 404: the message names the address and the model', async () => {
    const fault = await faultOf(failure(404, '404 page not found', { 'content-type': 'text/plain' }))
    expect(fault).toMatchObject({ kind: 'not-found', status: 404 })
    expect(fault.message).toContain('/v1/chat/completions')
    expect(fault.message).toContain('/v1')
    expect(fault.message).toContain('(m)')
  })

  it('A5 400 that names an unknown model is not found', async () => {
    const body = apiError('The model `x` does not exist or you do not have access to it.', {
      code: 'model_not_found',
    })
    expect(await faultOf(failure(400, body))).toMatchObject({ kind: 'not-found' })
  })

  it('A5 402, and an empty account reported as 429, are quota faults and not retried', async () => {
    expect(await faultOf(failure(402, apiError('Insufficient Balance')))).toMatchObject({ kind: 'quota' })
    const server = await wireServer(
      failure(429, apiError('You exceeded your current quota', { code: 'insufficient_quota' })),
    )
    expect(faultIn(await ask(await modelAt(server)))).toMatchObject({ kind: 'quota', status: 429 })
    expect(server.requests).toHaveLength(1)
  })

  it('A5 used-up credit reported as 400, as Anthropic does, is a quota fault', async () => {
    const body = apiError('Your credit balance is too low to access the Anthropic API.')
    expect(await faultOf(failure(400, body), { dialect: dialectOf('anthropic') })).toMatchObject({
      kind: 'quota',
    })
  })

  it.each([
    [400, 'You have reached your specified API usage limits. You will regain access on 2027-01-01.'],
    [403, 'Key limit exceeded (daily limit). Manage it using https://openrouter.test/settings/keys'],
    [429, 'Your account is not active, please check your billing details on our website.'],
    [429, 'Monthly quota exceeded'],
    [412, 'Account x is suspended, possibly due to reaching the monthly spending limit'],
    [429, 'Rate limit reached for model m on tokens per day (TPD): Limit 100000, Used 99990'],
  ])('A5 %i "%s" is a quota fault and not retried', async (status, message) => {
    const server = await wireServer(failure(status, apiError(message)))
    const fault = faultIn(await ask(await modelAt(server)))
    expect(fault).toMatchObject({ kind: 'quota', status })
    expect(fault.message).toContain('no credit or quota left for this account')
    expect(fault.message).toContain(message.slice(0, 20))
    expect(server.requests).toHaveLength(1)
  })

  it('A5 a daily limit of Google is a quota fault, a limit per minute is a rate limit', async () => {
    const body = (quotaId: string) => ({
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ violations: [{ quotaId }] }, { retryDelay: '7s' }],
      },
    })
    const dialect = dialectOf('google')
    expect(await faultOf(failure(429, body('GenerateRequestsPerDayPerProject')), { dialect })).toMatchObject({
      kind: 'quota',
    })
    expect(await faultOf(failure(429, body('GenerateRequestsPerMinute')), { dialect })).toMatchObject({
      kind: 'rate-limit',
      retryAfterMs: 7000,
    })
  })

  it('A5 a content filter in front of the model is its own kind of fault', async () => {
    const body = apiError('The response was filtered due to the prompt', {
      code: 'content_filter',
      status: 400,
    })
    expect(await faultOf(failure(400, body))).toMatchObject({ kind: 'content-filter' })
    expect(await faultOf(failure(400, apiError('Content Exists Risk')))).toMatchObject({
      kind: 'content-filter',
    })
  })

  it('A5 any other 400 shows the server’s message', async () => {
    const fault = await faultOf(failure(400, apiError("Unsupported parameter: 'stop'.")))
    expect(fault).toMatchObject({ kind: 'configuration', status: 400 })
    expect(fault.message).toContain("Unsupported parameter: 'stop'")
  })

  it('A5 a server’s message cannot control a terminal and is kept short', async () => {
    const fault = await faultOf(failure(400, apiError(`a\u001b[2Jb\nc${'x'.repeat(5000)}`)))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
    expect(fault.message).not.toMatch(/[\u0000-\u001f]/)
    expect(fault.message.length).toBeLessThan(700)
  })

  it('A5 a redirect to elsewhere is not followed, and the key does not go there', async () => {
    const elsewhere = await wireServer(chat.reply({ texts: ['stolen'] }))
    const server = await wireServer({
      status: 307,
      headers: { location: `${elsewhere.url}/v1/x` },
      steps: [],
    })
    const fault = faultIn(await ask(await modelAt(server)))
    expect(fault).toMatchObject({ kind: 'not-found', status: 307 })
    expect(fault.message).toContain(`points to ${elsewhere.url}/v1/x`)
    expect(elsewhere.requests).toEqual([])
  })

  it('A5 a redirect within the server is followed with the whole request, but not endlessly', async () => {
    const server = await wireServer(
      { status: 307, headers: { location: '/v2/chat' }, steps: [] },
      chat.reply({ texts: ['hi'] }),
    )
    expect(textIn(await ask(await modelAt(server)))).toBe('hi')
    expect(server.requests[1]).toMatchObject({ path: '/v2/chat', body: server.requests[0]?.body })
    const circle = await wireServer({ status: 308, headers: { location: '/v1/chat/completions' }, steps: [] })
    expect(faultIn(await ask(await modelAt(circle))).status).toBe(308)
    expect(circle.requests.length).toBeLessThan(6)
  })
})

describe('temporary faults', () => {
  it('A5 a busy server is asked four times, with growing waits, and every retry is reported', async () => {
    const server = await wireServer(failure(503, apiError('overloaded')))
    const waits: number[] = []
    const sleep = async (ms: number) => void waits.push(ms)
    const all = await ask(await modelAt(server, { retry: { sleep, random: () => 1 } }))
    expect(server.requests).toHaveLength(4)
    expect(waits).toEqual([500, 1000, 2000])
    expect(retriesIn(all).map(({ attempt, waitMs }) => [attempt, waitMs])).toEqual([
      [2, 500],
      [3, 1000],
      [4, 2000],
    ])
    expect(faultIn(all)).toMatchObject({ kind: 'overloaded', status: 503 })
  })

  it('A5 jitter halves a wait at most', async () => {
    const server = await wireServer(failure(503, apiError('overloaded')), chat.reply({ texts: ['hi'] }))
    const all = await ask(await modelAt(server, { retry: { random: () => 0 } }))
    expect(retriesIn(all).map(({ waitMs }) => waitMs)).toEqual([250])
    expect(reasonIn(all)).toBe('stop')
  })

  it.each([500, 502, 503, 504, 529, 429, 408])(
    'A5 after %i the answer of the next try counts',
    async (status) => {
      const server = await wireServer(failure(status, apiError('later')), chat.reply({ texts: ['hi'] }))
      const all = await ask(await modelAt(server))
      expect(all[0]).toMatchObject({ type: 'retry', attempt: 2, fault: { status } })
      expect(textIn(all)).toBe('hi')
    },
  )

  it('A5 a 502 with a page is malformed, is reported with the page’s title, and is retried', async () => {
    const page = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'
    const server = await wireServer(failure(502, page))
    const fault = faultIn(await ask(await modelAt(server)))
    expect(fault).toMatchObject({ kind: 'malformed', status: 502 })
    expect(fault.message).toContain('502 Bad Gateway')
    expect(fault.message).not.toContain('<')
    expect(server.requests).toHaveLength(4)
  })

  it('A5 Retry-After in seconds is waited for', async () => {
    const server = await wireServer(
      failure(429, apiError('slow down'), { 'retry-after': '7' }),
      chat.reply({ texts: ['hi'] }),
    )
    const all = await ask(await modelAt(server))
    expect(retriesIn(all)).toMatchObject([
      { waitMs: 7000, fault: { kind: 'rate-limit', retryAfterMs: 7000 } },
    ])
  })

  it('A5 Retry-After as a date is waited for', async () => {
    const now = Date.parse('2026-11-16T00:00:00Z')
    const server = await wireServer(
      failure(429, apiError('slow down'), { 'retry-after': 'Mon, 16 Nov 2026 00:00:30 GMT' }),
      chat.reply({ texts: ['hi'] }),
    )
    const all = await ask(await modelAt(server, { now: () => now }))
    expect(retriesIn(all).map(({ waitMs }) => waitMs)).toEqual([30_000])
  })

  it.each(['Infinity', 'NaN', '-1', '1e400', 'soon', '', '0x10', '99999999999999999999'])(
    'A5 a Retry-After of %j is ignored: the usual waits are kept',
    async (asked) => {
      const server = await wireServer(failure(429, apiError('slow down'), { 'retry-after': asked }))
      const all = await ask(await modelAt(server, { retry: { random: () => 1 } }))
      expect(retriesIn(all).map(({ waitMs }) => waitMs)).toEqual([500, 1000, 2000])
      expect(faultIn(all)).toMatchObject({ kind: 'rate-limit', status: 429 })
      expect(faultIn(all)).not.toHaveProperty('retryAfterMs')
    },
  )

  it.each(['Fri, 31 Dec 9999 23:59:59 GMT', '999999999999'])(
    'A5 a Retry-After in the far future (%s) is not waited for',
    async (asked) => {
      const server = await wireServer(failure(429, apiError('slow down'), { 'retry-after': asked }))
      const all = await ask(await modelAt(server))
      expect(all).toHaveLength(1)
      expect(faultIn(all).message).toMatch(/It asks to wait until 2\d{3}-\d\d-\d\d \d\d:\d\d UTC\./)
    },
  )

  it('A5 a Retry-After of a day is not waited for, and the message names its end', async () => {
    const now = Date.parse('2026-11-16T00:00:00Z')
    const server = await wireServer(failure(429, apiError('slow down'), { 'retry-after': '86400' }))
    const all = await ask(await modelAt(server, { now: () => now }))
    expect(all).toHaveLength(1)
    expect(faultIn(all)).toMatchObject({ kind: 'rate-limit', retryAfterMs: 86_400_000 })
    expect(faultIn(all).message).toContain('2026-11-17 00:00 UTC')
    expect(server.requests).toHaveLength(1)
  })
})

describe('errors inside a stream', () => {
  it('A5 an error before any content is retried if that can help', async () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const dialect = dialectOf('anthropic')
    const server = await wireServer({ steps: namedEvents(overloaded) }, dialect.reply({ texts: ['hi'] }))
    const all = await ask(await modelAt(server, { dialect }))
    expect(all[0]).toMatchObject({ type: 'retry', fault: { kind: 'overloaded' } })
    expect(textIn(all)).toBe('hi')
  })

  it('A5 an error in the middle ends the reply; the text so far stays', async () => {
    const steps = [
      ...events({ choices: [{ delta: { content: 'So' } }] }),
      ...events({ error: { message: 'Provider returned error', code: 502 } }),
    ]
    const server = await wireServer({ steps })
    const all = await ask(await modelAt(server))
    expect(textIn(all)).toBe('So')
    expect(faultIn(all)).toMatchObject({ kind: 'overloaded', status: 502 })
    expect(server.requests).toHaveLength(1)
  })

  it('A5 an error in an unusual form is understood', async () => {
    expect(await faultOf({ steps: events({ error: 'model runner has crashed' }) })).toMatchObject({
      kind: 'overloaded',
      message: expect.stringContaining('model runner has crashed'),
    })
    const failed = {
      type: 'response.failed',
      response: { error: { code: 'rate_limit_exceeded', message: 'Slow' } },
    }
    const dialect = dialectOf('openai')
    expect(await faultOf({ steps: namedEvents(failed) }, { dialect })).toMatchObject({ kind: 'rate-limit' })
  })

  it('A5 200 with an error as JSON, or with a page, is not a reply', async () => {
    expect(await faultOf(failure(200, { error: 'model not found' }))).toMatchObject({ kind: 'not-found' })
    const page = await faultOf(failure(200, '<html>Log in to the hotel network</html>'))
    expect(page).toMatchObject({ kind: 'malformed' })
    expect(page.message).toContain('this is not a model server')
    expect(await faultOf(failure(200, { choices: [] }))).toMatchObject({ kind: 'malformed' })
  })
})

describe('broken streams', () => {
  it('A5 events that are not JSON are malformed', async () => {
    const steps = [...events({ choices: [{ delta: { content: 'So' } }] }), 'data: {"choices": [{"del\n\n']
    const all = await ask(await modelAt(await wireServer({ steps })))
    expect(textIn(all)).toBe('So')
    expect(faultIn(all).kind).toBe('malformed')
  })

  it('A5 events of another kind are malformed', async () => {
    expect(await faultOf({ steps: events({ hello: 1 }) })).toMatchObject({ kind: 'malformed' })
  })

  it('A5 characters that the network splits arrive whole', async () => {
    const { steps } = chat.reply({ texts: ['a世界🙂', 'é'] })
    const bytes = Buffer.from(steps.join(''))
    const single = [...bytes].map((byte) => Uint8Array.of(byte))
    const all = await ask(await modelAt(await wireServer({ steps: single })))
    expect(textIn(all)).toBe('a世界🙂é')
    expect(reasonIn(all)).toBe('stop')
  })

  it('A5 calls with incomplete arguments do not run, and the fault names the tool', async () => {
    for (const dialect of dialects.filter(({ provider }) => provider !== 'google')) {
      const calls = [
        { id: 'a', name: 'Read', pieces: ['{"path":"a.ts"}'] },
        { id: 'b', name: 'Write', pieces: ['{"path":"a.ts","content":"hal'] },
      ]
      const all = await ask(await modelAt(await wireServer(dialect.reply({ calls })), { dialect }))
      expect(callsIn(all)).toEqual([])
      expect(faultIn(all)).toMatchObject({ kind: 'malformed', message: expect.stringContaining('Write') })
    }
  })

  it('A5 a reply that was cut off inside a call runs nothing', async () => {
    const calls = [{ id: 'a', name: 'Write', pieces: ['{"path":"a.ts",', '"content":"x"}'] }]
    const { steps } = chat.reply({ texts: ['I write.'], calls })
    const all = await ask(await modelAt(await wireServer({ steps: [...steps.slice(0, 4), 'cut'] })))
    expect(callsIn(all)).toEqual([])
    expect(faultIn(all).kind).toBe('network')
  })

  it('A5 calls with the same id are separate calls', async () => {
    const calls = ['a', 'b', 'c'].map((path) => ({
      id: 'same',
      name: 'Read',
      pieces: [`{"path":"${path}"}`],
    }))
    for (const dialect of dialects) {
      const all = await ask(await modelAt(await wireServer(dialect.reply({ calls })), { dialect }))
      expect(callsIn(all).map(({ args }) => args)).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c' }])
    }
  })

  it('A5 a reply with an end marker but without a reason is complete', async () => {
    const steps = events({ choices: [{ delta: { content: 'Hi' } }] }, '[DONE]')
    const all = await ask(await modelAt(await wireServer({ steps })))
    expect(textIn(all)).toBe('Hi')
    expect(reasonIn(all)).toBe('stop')
  })

  it('A5 a reply with its reason to end is complete, even if the connection then breaks or stays open', async () => {
    const { steps } = chat.reply({ texts: ['Hi'] })
    for (const last of ['cut', 'hang'] as const) {
      const all = await ask(await modelAt(await wireServer({ steps: [...steps, last] })))
      expect(textIn(all)).toBe('Hi')
      expect(reasonIn(all)).toBe('stop')
    }
  })

  it('A5 a refusal arrives with its text', async () => {
    const steps = events(
      { choices: [{ delta: { refusal: 'I cannot ' } }] },
      { choices: [{ delta: { refusal: 'do that.' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      '[DONE]',
    )
    const all = await ask(await modelAt(await wireServer({ steps })))
    expect(textIn(all)).toBe('I cannot do that.')
    expect(reasonIn(all)).toBe('refusal')
  })

  it('A5 a refusal of OpenAI arrives with its text too', async () => {
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    const item = { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] }
    const response = { id: 'r', created_at: 1, model: 'm', usage: { input_tokens: 1, output_tokens: 1 } }
    const steps = namedEvents(
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.refusal.delta', ...place, delta: 'I cannot.' },
      { type: 'response.refusal.done', ...place, refusal: 'I cannot.' },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    )
    const all = await ask(await modelAt(await wireServer({ steps }), { dialect: dialectOf('openai') }))
    expect(textIn(all)).toBe('I cannot.')
    expect(reasonIn(all)).toBe('refusal')
  })

  it('A5 non-standard reasons are understood', async () => {
    const reason = async (finish: string) =>
      reasonIn(await ask(await modelAt(await wireServer(chat.reply({ texts: ['x'], finish })))))
    expect(await reason('model_length')).toBe('length')
    expect(await reason('eos')).toBe('stop')
    expect(await reason('sensitive')).toBe('filter')
    expect(await reason('moon_phase')).toBe('other')
  })

  it('A5 an unknown reason runs no call', async () => {
    const calls = [{ id: 'a', name: 'Write', pieces: ['{"path":"a.ts"}'] }]
    const all = await ask(await modelAt(await wireServer(chat.reply({ calls, finish: 'moon_phase' }))))
    expect(callsIn(all)).toEqual([])
    expect(reasonIn(all)).toBe('other')
  })

  it('A5 a provider that runs out of capacity in the middle is overloaded', async () => {
    const answer = chat.reply({ texts: ['x'], finish: 'insufficient_system_resource' })
    expect(await faultOf(answer)).toMatchObject({ kind: 'overloaded' })
  })

  it('A5 a prompt that Google blocks ends with the reason filter', async () => {
    const steps = events({ promptFeedback: { blockReason: 'SAFETY' } })
    const all = await ask(await modelAt(await wireServer({ steps }), { dialect: dialectOf('google') }))
    expect(reasonIn(all)).toBe('filter')
  })

  it('A5 a call that Google cannot form is malformed', async () => {
    const dialect = dialectOf('google')
    expect(await faultOf(dialect.reply({ finish: 'MALFORMED_FUNCTION_CALL' }), { dialect })).toMatchObject({
      kind: 'malformed',
    })
  })

  it('A5 an endless answer is cut off', async () => {
    const flood = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(100_000) } }] })}\n\n`
    const server = await wireServer({ steps: Array.from({ length: 80 }, () => flood) })
    const all = await ask(await modelAt(server, { maxBytes: 2 * 1024 * 1024 }))
    expect(faultIn(all)).toMatchObject({ kind: 'malformed', message: expect.stringContaining('2 MiB') })
  })
})

describe('stop strings', () => {
  it('A5 a reply ends before a stop string, however it is split, without waiting for the rest', async () => {
    const { steps } = chat.reply({ texts: ['Action: LS[{}]\nObser', 'vation', ': invented'] })
    const server = await wireServer({ steps: [...steps.slice(0, 4), 'hang'] })
    const all = await ask(await modelAt(server), { ...hello, stop: ['\nObservation:'] })
    expect(textIn(all)).toBe('Action: LS[{}]')
    expect(reasonIn(all)).toBe('stop')
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ stop: ['\nObservation:'] })
  })

  it('A5 a model that accepts no stop strings is asked without them, and the reply still ends there', async () => {
    const refusal = failure(400, apiError('Argument not supported on this model: stop'))
    const server = await wireServer(refusal, chat.reply({ texts: ['a STOP b'] }))
    const model = await modelAt(server)
    const all = await ask(model, { ...hello, stop: ['STOP'] })
    expect(textIn(all)).toBe('a ')
    expect(server.requests.map(({ body }) => body.includes('"stop"'))).toEqual([true, false])
    await ask(model, { ...hello, stop: ['STOP'] })
    expect(server.requests).toHaveLength(3)
  })

  it('A5 a server that refuses to be asked for counts is not asked', async () => {
    const refusal = failure(422, {
      detail: [{ msg: 'Extra inputs are not permitted', loc: ['body', 'stream_options'] }],
    })
    const server = await wireServer(refusal, chat.reply({ texts: ['hi'] }))
    expect(textIn(await ask(await modelAt(server)))).toBe('hi')
    expect(server.requests.map(({ body }) => body.includes('stream_options'))).toEqual([true, false])
    const stubborn = await wireServer(refusal)
    expect(faultIn(await ask(await modelAt(stubborn))).status).toBe(422)
    expect(stubborn.requests).toHaveLength(2)
  })

  it('A5 text that only looked like a stop string is still shown at the end', async () => {
    const server = await wireServer(chat.reply({ texts: ['I obser', 've', ' Obser'] }))
    const all = await ask(await modelAt(server), { ...hello, stop: ['Observation:'] })
    expect(textIn(all)).toBe('I observe Obser')
  })
})

describe('secrets', () => {
  const forms = [
    secretKey,
    encodeURIComponent(secretKey),
    Buffer.from(secretKey).toString('base64'),
    Buffer.from(`user:${secretKey}`).toString('base64'),
    Buffer.from(`someone:${secretKey}`).toString('base64'),
  ]

  it('A5 a key that a server repeats in its errors reaches no event', async () => {
    const message = `Bad key. headers: {"authorization":"Bearer ${secretKey}"} ${forms.join(' ')}`
    for (const status of [400, 401, 404, 429, 500]) {
      const all = await ask(await modelAt(await wireServer(failure(status, apiError(message)))))
      expect(all.length).toBeGreaterThan(0)
      for (const form of forms) expect(JSON.stringify(all)).not.toContain(form)
      for (const form of forms) expect(JSON.stringify(all)).not.toContain(form.slice(4, -6))
    }
  })

  it('A5 nor a key in an error inside a stream, or in a page', async () => {
    const inside = await ask(await modelAt(await wireServer({ steps: events(apiError(secretKey)) })))
    const page = await ask(await modelAt(await wireServer(failure(502, `<title>${secretKey}</title>`))))
    expect(JSON.stringify([inside, page])).not.toContain(secretKey)
    expect(JSON.stringify([inside, page])).toContain('***')
  })

  it('A5 nor a key in the text, the reasoning or the calls of a reply, however it is split', async () => {
    const half = secretKey.length / 2
    const calls = [{ id: 'a', name: 'Write', pieces: [JSON.stringify({ content: secretKey })] }]
    const answer = chat.reply({
      texts: ['It is ', secretKey.slice(0, half), `${secretKey.slice(half)}!`],
      calls,
    })
    const thought = events({ choices: [{ delta: { reasoning_content: `hm ${secretKey}` } }] })
    const all = await ask(
      await modelAt(await wireServer({ ...answer, steps: [...thought, ...answer.steps] })),
    )
    expect(textIn(all)).toBe('It is ***!')
    expect(callsIn(all)[0]?.args).toEqual({ content: '***' })
    expect(JSON.stringify(all)).not.toContain(secretKey)
    expect(all).toContainEqual({ type: 'reasoning', text: expect.stringContaining('***') })
  })

  it('A5 even a short key is removed from replies and errors, but not a placeholder word', async () => {
    const echoed = async (apiKey: string) => {
      const said = `The key is ${apiKey}!`
      const server = await wireServer(chat.reply({ texts: [said] }), failure(400, apiError(said)))
      const choice = { provider: 'openai-compatible', name: 'm', source: 'flag' } as const
      const model = await openModel({ ...choice, apiKey, baseUrl: `${server.url}/v1` })
      return [textIn(await ask(model)), faultIn(await ask(model)).message]
    }
    for (const key of ['hunter2-13chr', 'abcdefgh'])
      expect(await echoed(key)).toEqual(['The key is ***!', expect.stringContaining('The key is ***!')])
    const [, short] = await echoed('pw1')
    expect(short).toContain('The key is ***!')
    for (const word of ['ollama', 'lm-studio', 'not-needed'])
      expect(await echoed(word)).toEqual([`The key is ${word}!`, expect.stringContaining(`is ${word}!`)])
  })

  it('A5 credentials in an address are in no error and no reply', async () => {
    const echoed = async (credentials: string, echo: string) => {
      const server = await wireServer(chat.reply({ texts: [echo] }), failure(401, apiError(echo)))
      const baseUrl = `${server.url.replace('http://', `http://${credentials}@`)}/v1`
      const choice = { provider: 'openai-compatible', name: 'm', source: 'flag' } as const
      const model = await openModel({ ...choice, baseUrl })
      return [textIn(await ask(model)), faultIn(await ask(model)).message].join(' ')
    }
    const pair = Buffer.from('user:pw1').toString('base64')
    const basic = await echoed('user:pw1', `Got Basic ${pair} and user:pw1`)
    for (const part of [pair, pair.slice(0, -2), 'user:pw1']) expect(basic).not.toContain(part)
    const token = Buffer.from('TOKEN-of-13ch:').toString('base64')
    const alone = await echoed('TOKEN-of-13ch', `Got Basic ${token}, TOKEN-of-13ch`)
    for (const part of [token, token.slice(0, -2), 'TOKEN-of-13ch']) expect(alone).not.toContain(part)
    expect(await echoed('user:long-password', 'the user said hello')).toContain('the user said hello')
  })

  it('A5 any name and password in a header is removed, and words about them stay', async () => {
    const foreign = Buffer.from('bob:xy').toString('base64')
    const message = `sent "Basic ${foreign}"; Basic authentication is basic knowledge`
    const fault = await faultOf(failure(401, apiError(message)))
    expect(fault.message).toContain('sent "Basic ***"; Basic authentication is basic knowledge')
  })

  it('A5 other keys, half masked or in headers, are removed too', async () => {
    const message =
      'Incorrect API key provided: sk-proj-abc123***XyZ9. x-api-key: ab12cd34ef56 AIzaSyA1234567890abcdef'
    const fault = await faultOf(failure(401, apiError(message)))
    for (const part of ['abc123', 'XyZ9', 'ab12cd34ef56', 'AIzaSyA'])
      expect(fault.message).not.toContain(part)
  })

  it('A5 a placeholder key of a local server is not removed from texts', async () => {
    const server = await wireServer(chat.reply({ texts: ['Run ollama serve.'] }))
    const choice = { provider: 'openai-compatible', name: 'm', apiKey: 'ollama', source: 'flag' } as const
    const model = await openModel({ ...choice, baseUrl: `${server.url}/v1` })
    expect(textIn(await ask(model))).toBe('Run ollama serve.')
  })

  it('A5 a password in the base URL is sent and not shown', async () => {
    const server = await wireServer(failure(401, apiError('no entry for pass-word-1')))
    const url = server.url.replace('http://', 'http://me:pass-word-1@')
    const all = await ask(await modelAt({ ...server, url }))
    expect(JSON.stringify(all)).not.toContain('pass-word-1')
  })
})
