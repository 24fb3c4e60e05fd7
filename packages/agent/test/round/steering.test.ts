import { copyFileSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { renderResult } from '@mutsumi/context/parts'
import { openModel } from '@mutsumi/model'
import type { AgentEvent, Model } from '@mutsumi/schema'
import { exportMarkdown, replayRequest } from '@mutsumi/session'
import { openSession, sha256 } from '@mutsumi/session/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nativeProtocol } from '../../src/protocol/native.js'
import type { Protocol } from '../../src/protocol/protocol.js'
import { reactProtocol } from '../../src/protocol/react.js'
import { runRound } from '../../src/round/run-round.js'
import { PlayedModel, type World, world } from '../support/agent.js'

const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`
const read = 'Thought: next\nAction: Read[{"path":"a.ts"}]'
const readTool = { name: 'Read', description: 'reads', parameters: { type: 'object' } }

interface WireMessage {
  readonly role: string
  readonly content?: string | readonly { readonly text?: string }[]
}

interface Wire {
  readonly model: Model
  readonly sent: WireMessage[][]
}

type Delta = Readonly<Record<string, unknown>>

/** A real server that gives these replies, and what it was sent. */
async function wire(replies: readonly Delta[]): Promise<Wire> {
  const sent: WireMessage[][] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      sent.push(JSON.parse(body).messages)
      reply(response, replies[sent.length - 1] ?? { content: finish('over') })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const choice = { provider: 'openai-compatible', name: 'm', baseUrl, source: 'flag' } as const
  return { model: await openModel(choice, { retry: { tries: 1 } }), sent }
}

function reply(response: ServerResponse, delta: Delta): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const choice of [
    { delta },
    { delta: {}, finish_reason: 'tool_calls' in delta ? 'tool_calls' : 'stop' },
  ])
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
  response.end('data: [DONE]\n\n')
}

const nativeRead = {
  tool_calls: [{ index: 0, id: 'c1', function: { name: 'Read', arguments: '{"path":"a.ts"}' } }],
}

interface Steered {
  readonly prompt: string
  readonly model: Model
  /** The message to send after the given event. */
  readonly says: readonly { readonly after: AgentEvent['type']; readonly text: string }[]
  readonly heard?: (event: AgentEvent) => void
}

/** A round in which somebody speaks up. */
async function steer(here: World, { prompt, model, says, heard }: Steered) {
  const waiting: string[] = []
  const unsaid = [...says]
  const events: AgentEvent[] = []
  const host = { ...(await here.host(model)), steering: () => waiting.splice(0) }
  for await (const event of runRound(prompt, host)) {
    events.push(event)
    heard?.(event)
    while (unsaid[0]?.after === event.type) waiting.push(unsaid.shift()?.text ?? '')
  }
  return { events, waiting }
}

function textOf({ content = '' }: WireMessage): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')
}

/** Every recorded request, built again from the file. */
async function replays(here: World) {
  await here.reopen()
  const file = await here.file()
  const sources = {
    textOf: (hash: string) => file.snapshotText(hash),
    hash: sha256,
    render: renderResult,
  }
  return file.facts.requests.map(({ id }) => replayRequest(file.records, { id }, sources))
}

describe('steering', () => {
  const protocols: readonly (readonly [string, Protocol, readonly Delta[], readonly string[]])[] = [
    ['react', reactProtocol, [{ content: read }, { content: finish('ok') }], ['user', 'assistant', 'user']],
    [
      'native',
      nativeProtocol([readTool]),
      [nativeRead, { content: 'ok' }],
      ['user', 'assistant', 'tool', 'user'],
    ],
  ]

  test.for(protocols)(
    'A3 %s: a message enters before the next request, after the results, and roles alternate',
    async ([, protocol, replies, roles]) => {
      const here = world({ files: { 'a.ts': 'const a = 1\n' }, protocol })
      const { model, sent } = await wire(replies)
      const { events } = await steer(here, {
        prompt: 'what is a?',
        model,
        says: [{ after: 'tool-start', text: 'and say it in one word' }],
      })
      expect(sent).toHaveLength(2)
      const [first = [], second = []] = sent
      expect(second.filter(({ role }) => role !== 'system').map(({ role }) => role)).toEqual(roles)
      expect(second.slice(0, first.length)).toEqual(first)
      expect(textOf(second.at(-1) ?? { role: '' }).endsWith('and say it in one word')).toBe(true)
      const kinds = events.map(({ type }) => type)
      expect(kinds.indexOf('steer')).toBeGreaterThan(kinds.indexOf('tool-end'))
      expect(kinds.indexOf('steer')).toBeLessThan(kinds.lastIndexOf('request-start'))
      expect(events.find(({ type }) => type === 'steer')).toEqual({
        type: 'steer',
        step: 1,
        text: 'and say it in one word',
      })
    },
  )

  test('N4 every request of a steered round is replayed as it was sent', async () => {
    const here = world({ files: { 'a.ts': 'const a = 1\n' } })
    const model = new PlayedModel([read, read.replace('next', 'again'), finish('ok')])
    const says = [
      { after: 'round-start', text: 'before anything' },
      { after: 'tool-start', text: 'what is a?' },
      { after: 'tool-start', text: 'x'.repeat(70_000) },
    ] as const
    await steer(here, { prompt: 'what is a?', model, says })
    const built = await replays(here)
    expect(built.map(({ kind }) => kind)).toEqual(['request', 'request', 'request'])
    for (const [index, replay] of built.entries())
      expect('messages' in replay && replay.messages.map(({ content }) => content)).toEqual(
        model.requests[index]?.messages.map(({ content }) => content),
      )
    expect(model.requests[0]?.messages.at(-1)?.content).toBe('before anything')
  })

  test('N3 a process that ends right after the event has the message in its session', async () => {
    const here = world({ files: { 'a.ts': 'const a = 1\n' } })
    const copy = join(here.root, 'killed.mtm')
    await steer(here, {
      prompt: 'what is a?',
      model: new PlayedModel([read, finish('ok')]),
      says: [{ after: 'tool-start', text: 'look at b' }],
      heard: ({ type }) => {
        if (type === 'steer') copyFileSync(here.path, copy)
      },
    })
    const opening = await openSession(copy)
    if (opening.kind !== 'opened') throw new Error(opening.kind)
    onTestFinished(() => opening.file.close())
    const [, , steered] = opening.file.session.cells[0]?.metadata?.mutsumi_interaction ?? []
    expect(steered).toMatchObject({
      role: 'user',
      content: 'look at b',
      metadata: { step: 1, steered: true },
    })
  })

  test('A3 later rounds see the message in its place, and it does not begin a round', async () => {
    const here = world({ files: { 'a.ts': 'const a = 1\n' } })
    const says = [{ after: 'tool-start', text: 'say it in one word' }] as const
    await steer(here, { prompt: 'what is a?', model: new PlayedModel([read, finish('one')]), says })
    await here.reopen()
    const model = new PlayedModel([finish('two')])
    await here.ask('and then?', model)
    const seen = model.requests[0]?.messages.filter(({ role }) => role !== 'system') ?? []
    expect(seen.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'user'])
    expect(seen[3]?.content).toBe('say it in one word')
    const file = await here.file()
    expect(file.session.cells).toHaveLength(2)
    const markdown = exportMarkdown(file.header, file.session, file.facts)
    expect(markdown).toMatch(
      /## Round 1[\s\S]*what is a\?[\s\S]*\*\*You\*\*\n\n> say it in one word[\s\S]*## Round 2/,
    )
  })

  test('A3 a message after the last request stays in the sender’s queue', async () => {
    const here = world()
    const model = new PlayedModel([finish('ok')])
    const said = { after: 'answer', text: 'too late' } as const
    const { events, waiting } = await steer(here, { prompt: 'go', model, says: [said] })
    expect(waiting).toEqual(['too late'])
    expect(events.some(({ type }) => type === 'steer')).toBe(false)
    await here.reopen()
    expect(readFileSync(here.path, 'utf8')).not.toContain('too late')
  })
})
