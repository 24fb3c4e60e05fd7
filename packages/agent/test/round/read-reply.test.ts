import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openModel } from '@mutsumi/model'
import type { AgentEvent, Model, ModelEvent } from '@mutsumi/schema'
import { describe, expect, onTestFinished, test } from 'vitest'
import { growthOfLater, linear } from '../../../../test/support/growth.js'
import { reactProtocol } from '../../src/protocol/react.js'
import { type ReadReply, readReply } from '../../src/round/read-reply.js'

/** A model that is never waited for. */
function flood(pieces: Iterable<string>): Model {
  return {
    name: 'flood',
    callsTools: false,
    async *stream(): AsyncGenerator<ModelEvent> {
      for (const text of pieces) yield { type: 'text', text }
      yield { type: 'end', reason: 'stop' }
    },
  }
}

async function read(
  model: Model,
  signal = new AbortController().signal,
): Promise<{ readonly events: readonly AgentEvent[]; readonly end: ReadReply }> {
  const events: AgentEvent[] = []
  const how = { protocol: reactProtocol, nameCall: String, signal }
  const reading = readReply(model, { messages: [] }, how)
  for (;;) {
    const { done, value } = await reading.next()
    if (done) return { events, end: value }
    events.push(value)
  }
}

function* repeated(opening: string, piece: string, times: number): Generator<string> {
  yield opening
  for (let count = 0; count < times; count++) yield piece
}

function shown(events: readonly AgentEvent[], type: 'answer' | 'thought'): string {
  return events.flatMap((event) => (event.type === type ? [event.text] : [])).join('')
}

describe('a reply in very many pieces', () => {
  test.for([
    ['an answer', 'Thought: x\nAction: Finish[', 'abc d'],
    ['an answer of lines', 'Thought: x\nAction: Finish[', 'abc\n'],
    ['an answer with code', 'Action: Finish[See\n```\n', 'b[0]\n'],
    ['an argument', 'Thought: x\nAction: Write[{"path":"a","content":"', 'abcd'],
    ['a thought', 'Thought: ', 'abc d'],
    ['a fence in a thought', 'Thought: x\n```\n', 'abc\n'],
    ['thinking', '<think>', 'abc d'],
    ['words', 'It is', ' abc'],
    ['blanks', '', '  \n'],
  ] as const)(
    'A1 takes linear time for 100 000 pieces of %s',
    { timeout: 30_000 },
    async ([, opening, piece]) => {
      const readPieces = async (count: number) => {
        const { end } = await read(flood(repeated(opening, piece, count)))
        expect(end.kind === 'reply' && end.reply.text.length).toBe(opening.length + piece.length * count)
      }
      expect(await growthOfLater(readPieces, 3334)).toBeLessThan(linear)
    },
  )

  test('A1 an answer is shown piece by piece as it arrives', async () => {
    const { events } = await read(flood(['Thought: ok', '\nAction: Fin', 'ish[It ', 'is ', '42', '.]']))
    expect(events).toEqual([
      { type: 'thought', text: 'ok' },
      { type: 'answer', text: 'It' },
      { type: 'answer', text: ' is' },
      { type: 'answer', text: ' 42' },
    ])
  })

  test('A1 no part of an action is shown', async () => {
    const { events } = await read(
      flood(repeated('Thought: ok\nAction: Write[{"content":"', 'Finish[x] ', 99)),
    )
    expect(shown(events, 'thought')).toBe('ok')
    expect(shown(events, 'answer')).toBe('')
  })
})

describe('a reply that invents a result after its action', () => {
  /** One that goes on for ever, and what became of it. */
  function endless(opening: string) {
    const told = { given: 0, isClosed: false }
    function* pieces(): Generator<string> {
      try {
        for (const piece of repeated(opening, 'Observation: made up\n', 1000)) {
          told.given++
          yield piece
        }
      } finally {
        told.isClosed = true
      }
    }
    return { model: flood(pieces()), told }
  }

  test('A1 is cut off, and its model is stopped', async () => {
    const { model, told } = endless('Thought: ok\nAction: Read[{"path":"a.ts"}]\n')
    const { end } = await read(model)
    expect(end).toMatchObject({ kind: 'reply', reply: { reason: 'stop' } })
    expect(told).toEqual({ given: 2, isClosed: true })
  })

  test('A1 its connection is closed if the provider would continue', { timeout: 30_000 }, async () => {
    const server = createServer((_request, response) => {
      response.on('close', () => server.emit('reply-closed'))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const content of ['Action: LS[{}]\nObser', 'vation: made', ' up\n'])
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const closed = once(server, 'reply-closed')
    const choice = { provider: 'openai-compatible', name: 'm', baseUrl, source: 'flag' } as const
    const { end } = await read(await openModel(choice))
    expect(end).toMatchObject({ kind: 'reply', reply: { reason: 'stop' } })
    await closed
  })

  test('A1 is read to the end if that line is inside a written file', async () => {
    const { model, told } = endless('Thought: ok\nAction: Write[{"content":"\n')
    await read(model)
    expect(told.given).toBe(1001)
  })
})

describe('while a flood of pieces arrives', () => {
  const pieces = 3_000_000

  test('A5 a timer fires, and cancelling is answered', { timeout: 60_000 }, async () => {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), 50)
    let given = 0
    function* counted(): Generator<string> {
      for (const piece of repeated('Thought: ', 'abc d', pieces)) {
        given++
        yield piece
      }
    }
    const { end } = await read(flood(counted()), stop.signal)
    clearTimeout(timer)
    expect(end).toMatchObject({ kind: 'fault', fault: { kind: 'cancelled' } })
    expect(given).toBeLessThan(pieces)
  })
})

test('H1 when a reply is asked for again, its shown part is taken back', async () => {
  const fault = { kind: 'timeout', message: 'nothing came for a minute' } as const
  const model: Model = {
    name: 'stalls',
    callsTools: false,
    async *stream(): AsyncGenerator<ModelEvent> {
      yield { type: 'text', text: 'Thought: t\nAction: Finish[the first half' }
      yield { type: 'retry', attempt: 2, waitMs: 0, fault }
      yield { type: 'text', text: 'Thought: t\nAction: Finish[all of it]' }
      yield { type: 'end', reason: 'stop' }
    },
  }
  const { events, end } = await read(model)
  const told = events.filter(({ type }) => type.startsWith('answer') || type === 'retry')
  expect(told.map(({ type }) => type)).toEqual(['answer', 'answer-reset', 'retry', 'answer'])
  expect(told[1]).toEqual({ type: 'answer-reset', reason: fault.message })
  expect(end).toMatchObject({
    kind: 'reply',
    shown: ['all of it'],
    reply: { text: expect.not.stringContaining('half') },
  })
})
