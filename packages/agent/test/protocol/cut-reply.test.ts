import { existsSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openModel } from '@mutsumi/model'
import type { AgentEvent, Model, ModelEvent } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { nativeProtocol } from '../../src/protocol/native.js'
import type { Protocol } from '../../src/protocol/protocol.js'
import { reactProtocol } from '../../src/protocol/react.js'
import { type Happened, type World, world } from '../support/agent.js'

const note = '[This reply was cut off here. Nothing that it asks for was carried out.]'

/** A real server whose every reply is played by `play`, and the model that asks it. */
async function modelOf(play: (response: ServerResponse) => void): Promise<Model> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    play(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const choice = { provider: 'openai-compatible', name: 'm', baseUrl, source: 'flag' } as const
  return openModel(choice, { retry: { tries: 1 } })
}

function said(...pieces: readonly string[]): string {
  const events = pieces.map((content) => ({ choices: [{ index: 0, delta: { content } }] }))
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

/** Sends so much of a reply, and then breaks the connection. */
function cutAfter(text: string): Promise<Model> {
  return modelOf((response) => response.write(text, () => response.socket?.resetAndDestroy()))
}

function shown(events: readonly AgentEvent[], type: 'answer' | 'thought'): string {
  return events.flatMap((event) => (event.type === type ? [event.text] : [])).join('')
}

/** The newest round's replies in the session on disk. */
async function kept(here: World): Promise<string> {
  await here.reopen()
  const { session } = await here.file()
  const steps = session.cells.at(-1)?.metadata?.mutsumi_interaction ?? []
  return steps.map(({ content }) => String(content)).join('\n')
}

describe('a reply that is cut off', () => {
  const cases: readonly (readonly [string, Protocol, string, string])[] = [
    ['react, in its answer', reactProtocol, 'Thought: I know.\nAction: Finish[It is 4', 'It is 4'],
    ['react, a plain answer', reactProtocol, 'It is 4', 'It is 4'],
    ['native', nativeProtocol([]), 'It is 4', 'It is 4'],
  ]

  test.for(cases)(
    'A5 %s: its text is in the session and in round-end, marked as cut',
    async ([, protocol, text, answer]) => {
      const here = world({ protocol })
      const happened = await here.ask('how much?', await cutAfter(said(...text.split(/(?<= )/))))
      expect(happened.end).toMatchObject({ status: 'fault', answer, fault: { kind: 'network' } })
      expect(happened.end.message).toContain('The received part of the reply is kept, marked as cut.')
      expect(shown(happened.events, 'answer')).toBe(answer)
      expect(await kept(here)).toBe(`${text}\n\n${note}`)
      const file = await here.file()
      expect(file.records.find(({ type }) => type === 'step')).toMatchObject({ metadata: { not_run: 'cut' } })
      expect([...file.facts.ends.values()]).toMatchObject([{ status: 'failed' }])
    },
  )

  test('A5 the next round sees it, marked as cut off', async () => {
    const here = world()
    await here.ask('how much?', await cutAfter(said('Thought: I know.\nAction: Finish[It is 4')))
    const next = await here.ask('go on', ['Action: Finish[42]'])
    const messages = next.requests[0]?.messages.map(({ role, content }) => [role, content]) ?? []
    expect(messages.at(-2)).toEqual(['assistant', `Thought: I know.\nAction: Finish[It is 4\n\n${note}`])
  })

  test('A5 an action that was complete before the cut is not run, not shown as an answer, and not counted', async () => {
    const here = world({ allow: ['Write'] })
    const text = 'Thought: I write.\nAction: Write[{"path":"new.txt","content":"x"}]'
    const happened = await here.ask('go', await cutAfter(said(text)))
    expect(happened.end).not.toHaveProperty('answer')
    expect(happened.of('tool-start')).toEqual([])
    expect(existsSync(join(here.root, 'new.txt'))).toBe(false)
    expect(await kept(here)).toContain('Thought: I write.')
  })

  test('A5 nothing is kept of a reply that did not begin', async () => {
    const here = world()
    const happened = await here.ask('go', await cutAfter(': ping\n\n'))
    expect(happened.end).toMatchObject({ status: 'fault' })
    expect(happened.end.message).not.toContain('kept')
    expect(await kept(here)).toBe('')
  })

  test('A5 text that was shown before the user cancels is kept', async () => {
    for (const protocol of [reactProtocol, nativeProtocol([])]) {
      const here = world({ protocol })
      const stop = new AbortController()
      const model = await modelOf((response) => {
        response.write(said('Action: Finish[It is', ' 4'), () => setTimeout(() => stop.abort(), 200))
      })
      const happened = await here.ask('how much?', model, stop.signal)
      expect(happened.end).toMatchObject({ status: 'cancelled', message: 'cancelled' })
      expect(happened.end.answer).toContain('It is 4')
      expect(await kept(here)).toContain(`It is 4\n\n${note}`)
    }
  })

  test('A5 at whatever byte: the text that was shown is in the session', async () => {
    const replies = [
      'Thought: Ich weiß es.\nAction: Finish[Die Höhe ist 世界 [1] und `a]` mehr]',
      'Thought: I look.\nAction: Read[{"path":"a.ts"}]',
      'A plain answer\nof two lines.',
      '<think>hm</think>\nThought: so\n```ts\nconst a = 1\n```\nAction: Finish[It is]',
    ]
    const cut = fc.record({
      text: fc.constantFrom(...replies),
      size: fc.integer({ min: 1, max: 9 }),
      place: fc.double({ min: 0, max: 1, noNaN: true }),
      native: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(cut, async ({ text, size, place, native }) => {
        const pieces = text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []
        const bytes = Buffer.from(said(...pieces))
        const model = await modelOf((response) => {
          const part = bytes.subarray(0, Math.floor(place * bytes.length))
          if (part.length === 0) response.socket?.resetAndDestroy()
          else response.write(part, () => response.socket?.resetAndDestroy())
        })
        const here = world({ protocol: native ? nativeProtocol([]) : reactProtocol })
        const happened: Happened = await here.ask('go', model)
        expect(happened.end.status).toBe('fault')
        const session = await kept(here)
        expect(session).toContain(shown(happened.events, 'thought'))
        expect(session).toContain(shown(happened.events, 'answer'))
        expect(shown(happened.events, 'answer')).toBe(happened.end.answer ?? '')
      }),
      { numRuns: runs(40) },
    )
  }, 60_000)
})

describe('native: a reply that was filtered or refused', () => {
  const write: ModelEvent = {
    type: 'call',
    call: { id: '1', name: 'Write', args: { path: 'new.txt', content: 'x' } },
  }

  test.for([
    ['filter', 'the provider filtered the reply'],
    ['refusal', 'the model refused to answer'],
  ] as const)('A2 %s: none of its calls runs, and the user sees the reason', async ([reason, message]) => {
    for (const events of [[write], [{ type: 'text', text: 'I cannot.' } as const, write]]) {
      const here = world({ protocol: nativeProtocol([]), allow: ['Write'] })
      const happened = await here.ask('go', [[...events, { type: 'end', reason }]])
      expect(happened.of('tool-start')).toEqual([])
      expect(existsSync(join(here.root, 'new.txt'))).toBe(false)
      expect(happened.end).toMatchObject({ status: 'failed', message })
      expect(happened.end.answer).toBe(events.length > 1 ? 'I cannot.' : '')
      expect(
        (
          await here.ask('again', [
            [
              { type: 'text', text: 'ok' },
              { type: 'end', reason: 'stop' },
            ],
          ])
        ).end.status,
      ).toBe('done')
    }
  })

  test('A2 calls of a reply that ended for an unknown reason do not run, and the model gets the reason', async () => {
    const here = world({ protocol: nativeProtocol([]), allow: ['Write'] })
    const happened = await here.ask('go', [
      [
        { type: 'text', text: 'I write.' },
        { type: 'end', reason: 'other', word: 'moon_phase', dropped: 1 },
      ],
      [
        { type: 'text', text: 'ok' },
        { type: 'end', reason: 'stop' },
      ],
    ])
    expect(happened.of('tool-start')).toEqual([])
    expect(happened.lastSeen()).toContain('ended for an unknown reason')
    expect(happened.end).toMatchObject({ status: 'done', answer: 'ok' })
  })

  test('A5 if an answer ended for an unknown reason, the message says so', async () => {
    const happened = await world({ protocol: nativeProtocol([]) }).ask('go', [
      [
        { type: 'text', text: 'It is 42.' },
        { type: 'end', reason: 'other', word: 'moon_phase' },
      ],
    ])
    expect(happened.end).toMatchObject({ status: 'done', answer: 'It is 42.' })
    expect(happened.end.message).toContain('"moon_phase"')
  })
})
