import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { ask, callsIn, faultIn, modelAt, reasonIn, textIn } from '../support/asking.js'
import { chat, type Dialect, dialectOf, dialects } from '../support/dialects.js'
import { events, type Step, wireServer } from '../support/wire-server.js'

/** A reply of a dialect without its last events, which only say again that it has ended. */
function finished(dialect: Dialect, reply: Parameters<Dialect['reply']>[0]): readonly Step[] {
  const { steps } = dialect.reply(reply)
  const at = steps.findLastIndex((step) =>
    /finish_?reason|stop_reason|response\.completed/i.test(String(step)),
  )
  return steps.slice(0, at + 1)
}

const once = { retry: { tries: 1 } } as const

describe('a reply that gave its reason to end', () => {
  it.each(['cut', 'reset'] as const)('A5 is complete, although the connection ends by %s', async (last) => {
    for (const dialect of dialects) {
      const steps = [...finished(dialect, { texts: ['It is', ' 42.'] }), last]
      const all = await ask(await modelAt(await wireServer({ steps }), { dialect, ...once }))
      expect([dialect.provider, textIn(all), reasonIn(all)]).toEqual([dialect.provider, 'It is 42.', 'stop'])
    }
  })

  it('A5 is complete, although the connection stays open and nothing more arrives', async () => {
    await Promise.all(
      dialects.map(async (dialect) => {
        const steps = [...finished(dialect, { texts: ['It is', ' 42.'] }), 'hang'] as const
        const timeouts = { endingMs: 300 }
        const all = await ask(await modelAt(await wireServer({ steps }), { dialect, timeouts, ...once }))
        expect([dialect.provider, textIn(all), reasonIn(all)]).toEqual([
          dialect.provider,
          'It is 42.',
          'stop',
        ])
      }),
    )
  })

  it('A5 continues if every piece has a reason to end, as with older Google servers', async () => {
    const dialect = dialectOf('google')
    const piece = (text: string) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    })
    const steps = ['a', 'b', 'c', 'd'].flatMap((text): Step[] => [{ waitMs: 200 }, ...events(piece(text))])
    const all = await ask(
      await modelAt(await wireServer({ steps }), { dialect, timeouts: { endingMs: 2000 }, ...once }),
    )
    expect([textIn(all), reasonIn(all)]).toEqual(['abcd', 'stop'])
  })

  it('A5 runs its calls, although the connection is reset', async () => {
    const calls = [{ id: 'a', name: 'Read', pieces: ['{"path":', '"a.ts"}'] }]
    for (const dialect of dialects) {
      const steps = [...finished(dialect, { calls }), 'reset'] as const
      const all = await ask(await modelAt(await wireServer({ steps }), { dialect, ...once }))
      expect([dialect.provider, callsIn(all)]).toEqual([
        dialect.provider,
        [expect.objectContaining({ name: 'Read', args: { path: 'a.ts' } })],
      ])
    }
  })

  it('A5 includes the counts that come after its reason to end', async () => {
    const server = await wireServer({ steps: [...chat.reply({ texts: ['Hi'] }).steps.slice(0, -1), 'reset'] })
    const all = await ask(await modelAt(server))
    expect(all.slice(1)).toEqual([
      { type: 'usage', usage: { input: 10, output: 3 } },
      { type: 'end', reason: 'stop' },
    ])
  })

  it('A5 is complete, although no blank line ends its last event', async () => {
    const steps = finished(chat, { texts: ['Hi'] })
    const last = String(steps.at(-1)).trimEnd()
    for (const end of ['cut', 'reset'] as const) {
      const server = await wireServer({ steps: [...steps.slice(0, -1), last, end] })
      expect(reasonIn(await ask(await modelAt(server, once)))).toBe('stop')
    }
  })
})

describe('a reply that is cut off', () => {
  it('A5 gives everything before the cut, in every dialect', async () => {
    for (const dialect of dialects) {
      const { steps } = dialect.reply({ texts: ['One ', 'two ', 'three'] })
      const upTo = steps.findIndex((step) => String(step).includes('three'))
      for (const last of ['cut', 'reset'] as const) {
        const server = await wireServer({ steps: [steps.slice(0, upTo).join(''), last] })
        const all = await ask(await modelAt(server, { dialect, ...once }))
        expect([dialect.provider, textIn(all)]).toEqual([dialect.provider, 'One two '])
        expect(faultIn(all)).toMatchObject({ kind: 'network' })
      }
    }
  })

  it('A5 at any byte: its text is a beginning of the whole text, calls run only if it was complete, and it ends once', async () => {
    const calls = [{ id: 'a', name: 'Read', pieces: ['{"path":', '"a.ts"}'] }]
    const whole = dialects.map((dialect) => ({
      dialect,
      bytes: Buffer.from(dialect.reply({ texts: ['Hé', 'llo 世界'], calls }).steps.join('')),
    }))
    const cut = fc.record({
      reply: fc.constantFrom(...whole),
      place: fc.double({ min: 0, max: 1, noNaN: true }),
      last: fc.constantFrom('cut' as const, 'reset' as const),
    })
    await fc.assert(
      fc.asyncProperty(cut, async ({ reply: { dialect, bytes }, place, last }) => {
        const server = await wireServer({
          steps: [bytes.subarray(0, Math.floor(place * bytes.length)), last],
        })
        const all = await ask(await modelAt(server, { dialect, ...once }))
        expect('Héllo 世界'.startsWith(textIn(all))).toBe(true)
        const ends = all.filter(({ type }) => type === 'end' || type === 'fault')
        expect(ends).toEqual([all.at(-1)])
        expect(callsIn(all).length).toBe(all.at(-1)?.type === 'end' ? 1 : 0)
      }),
      { numRuns: runs(60) },
    )
  }, 60_000)
})

describe('a reply that never gave its reason to end', () => {
  const calls = [{ id: 'a', name: 'Read', pieces: ['{"path":', '"a.ts"}'] }]
  /** Only the end mark of a dialect, if it has one. */
  const unreasoned = (steps: readonly Step[]) =>
    steps.filter((step) => !/finish_?reason":"|stop_reason":"|response\.completed/i.test(String(step)))

  it('A5 runs nothing, although the end mark came, in every dialect', async () => {
    for (const dialect of dialects) {
      const steps = unreasoned(dialect.reply({ texts: ['I read.'], calls }).steps)
      const all = await ask(await modelAt(await wireServer({ steps }), { dialect, ...once }))
      expect([dialect.provider, callsIn(all), textIn(all)]).toEqual([dialect.provider, [], 'I read.'])
      expect([dialect.provider, faultIn(all).kind]).toEqual([dialect.provider, 'network'])
    }
  })

  it('A5 is not an answer of Anthropic either, so that a call that is written as text does not run', async () => {
    const dialect = dialectOf('anthropic')
    const steps = unreasoned(dialect.reply({ texts: ['Action: Read[{"path":"a.ts"}]'] }).steps)
    expect(steps.join('')).toContain('message_stop')
    const all = await ask(await modelAt(await wireServer({ steps }), { dialect, ...once }))
    expect(faultIn(all).kind).toBe('network')
  })

  it('A5 is an answer of a server that sends its end mark and never a reason', async () => {
    const steps = unreasoned(chat.reply({ texts: ['Hi'] }).steps)
    const all = await ask(await modelAt(await wireServer({ steps }), once))
    expect([textIn(all), reasonIn(all)]).toEqual(['Hi', 'stop'])
  })
})

describe('every end is a visible state', () => {
  it('A5 a reply with only thoughts is reported as such', async () => {
    const steps = events(
      { choices: [{ delta: { reasoning_content: 'Hm.' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      '[DONE]',
    )
    const all = await ask(await modelAt(await wireServer({ steps })))
    expect(all[0]).toEqual({ type: 'reasoning', text: 'Hm.' })
    expect(faultIn(all)).toMatchObject({ kind: 'malformed' })
    expect(faultIn(all).message).toContain('thought and gave no answer')
  })

  it('A5 an empty reply is reported as such, whatever its reason to end', async () => {
    for (const finish of ['stop', 'moon_phase']) {
      const fault = faultIn(await ask(await modelAt(await wireServer(chat.reply({ finish })))))
      expect(fault.message).toContain('gave an empty answer')
    }
  })

  it('A5 an unknown reason is given in the words of the provider, with the calls that do not run', async () => {
    const said = await ask(
      await modelAt(await wireServer(chat.reply({ texts: ['x'], finish: 'moon_phase' }))),
    )
    expect(said.at(-1)).toEqual({ type: 'end', reason: 'other', word: 'moon_phase' })
    const calls = [{ id: 'a', name: 'Write', pieces: ['{}'] }]
    const called = await ask(await modelAt(await wireServer(chat.reply({ calls, finish: 'moon_phase' }))))
    expect(called.at(-1)).toEqual({ type: 'end', reason: 'other', word: 'moon_phase', dropped: 1 })
  })

  it('A5 a filtered reply gives none of its calls, and says how many there were', async () => {
    const calls = [{ id: 'a', name: 'Write', pieces: ['{}'] }]
    for (const dialect of dialects) {
      const answer = dialect.reply({ texts: ['I '], calls, finish: dialect.finishByFilter })
      const all = await ask(await modelAt(await wireServer(answer), { dialect }))
      expect([dialect.provider, callsIn(all)]).toEqual([dialect.provider, []])
      expect(all.at(-1)).toMatchObject({ type: 'end', dropped: 1 })
      expect(['filter', 'refusal']).toContain(reasonIn(all))
    }
  })

  it('A2 a reply that was filtered or cut stays so, whatever the server says after it', async () => {
    const calls = [{ id: 'a', name: 'Write', pieces: ['{}'] }]
    const later = events(
      ...['stop', 'tool_calls'].map((word) => ({ choices: [{ delta: {}, finish_reason: word }] })),
    )
    for (const [finish, reason] of [
      ['content_filter', 'filter'],
      ['length', 'length'],
    ]) {
      const steps = [...finished(chat, { calls, ...(finish && { finish }) }), ...later, ...events('[DONE]')]
      const all = await ask(await modelAt(await wireServer({ steps }), once))
      expect([reasonIn(all), callsIn(all)]).toEqual([reason, []])
    }
  })

  it('A5 an unknown reason in every piece but the last does not delay a reply', async () => {
    const steps = events(
      { choices: [{ delta: { content: 'Hi' }, finish_reason: 'null' }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      '[DONE]',
    )
    expect(reasonIn(await ask(await modelAt(await wireServer({ steps }))))).toBe('stop')
  })
})

describe('errors inside a stream of status 200, in every dialect', () => {
  const shapes: readonly (readonly [string, object, string, string])[] = [
    ['an object', { error: { message: 'it broke', code: 500 } }, 'overloaded', 'it broke'],
    ['a text', { error: 'it broke' }, 'overloaded', 'it broke'],
    [
      'an error of Anthropic',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'overloaded',
      'Overloaded',
    ],
    [
      'an error of OpenAI',
      { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down', param: null, sequence_number: 1 },
      'rate-limit',
      'Slow down',
    ],
    [
      'an empty account',
      { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
      'quota',
      'quota',
    ],
    [
      'a spent minute of Google',
      { error: { code: 429, message: 'Resource exhausted', status: 'RESOURCE_EXHAUSTED' } },
      'rate-limit',
      'Resource exhausted',
    ],
    ['an error in a list', [{ error: { code: 503, message: 'it broke' } }], 'overloaded', 'it broke'],
  ]

  it.each(shapes)('A5 %s is understood, first or in the middle', async (_, error, kind, words) => {
    for (const dialect of dialects) {
      const first = faultIn(
        await ask(await modelAt(await wireServer({ steps: events(error) }), { dialect, ...once })),
      )
      expect([dialect.provider, first.kind]).toEqual([dialect.provider, kind])
      expect(first.message).toContain(words)
      const { steps } = dialect.reply({ texts: ['One ', 'two'] })
      const upTo = steps.findIndex((step) => String(step).includes('two'))
      const server = await wireServer({ steps: [...steps.slice(0, upTo), ...events(error)] })
      const all = await ask(await modelAt(server, { dialect, ...once }))
      expect([dialect.provider, textIn(all), faultIn(all).kind]).toEqual([dialect.provider, 'One ', kind])
      expect(faultIn(all).message).toContain(words)
    }
  })
})

it('A5 Anthropic may end a reply with its reason alone', async () => {
  const dialect = dialectOf('anthropic')
  const { steps } = dialect.reply({ texts: ['Hi'] })
  const all = await ask(await modelAt(await wireServer({ steps: steps.slice(0, -1) }), { dialect, ...once }))
  expect([textIn(all), reasonIn(all)]).toEqual(['Hi', 'stop'])
})

it('A5 a call that Anthropic began and never finished is counted', async () => {
  const dialect = dialectOf('anthropic')
  const calls = [{ id: 'a', name: 'Write', pieces: ['{"path":', '"a'] }]
  const { steps } = dialect.reply({ texts: ['I write.'], calls, finish: 'max_tokens' })
  const half = steps.filter(
    (step) => !/content_block_stop.*"index":1|"index":1.*content_block_stop/s.test(String(step)),
  )
  expect(half).toHaveLength(steps.length - 1)
  const all = await ask(await modelAt(await wireServer({ steps: half }), { dialect, ...once }))
  expect(all.at(-1)).toEqual({ type: 'end', reason: 'length', dropped: 1 })
})

it('A5 Anthropic counts what it read from its cache and what it wrote to it', async () => {
  const dialect = dialectOf('anthropic')
  const usage = { input: 20, output: 3, cached: 4, written: 6 }
  const all = await ask(await modelAt(await wireServer(dialect.reply({ texts: ['Hi'], usage })), { dialect }))
  expect(all).toContainEqual({ type: 'usage', usage })
})
