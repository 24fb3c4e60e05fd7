import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openModel } from '@mutsumi/model'
import type { AgentEvent, Model } from '@mutsumi/schema'
import { createSession, type SessionFile } from '@mutsumi/session/node'
import { builtInTools, defineTool, type LazyTool, PermissionGate, type Tool, Workspace } from '@mutsumi/tools'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { strictObject, toJSONSchema } from 'zod'
import { runs } from '../../../../test/support/property-runs.js'
import { chat, type Dialect, dialects, type SpokenReply } from '../../../model/test/support/dialects.js'
import { type Answer, type WireServer, wireServer } from '../../../model/test/support/wire-server.js'
import { modelReplies } from '../../../react-text/test/support/model-replies.js'
import { replies } from '../../../react-text/test/support/replies.js'
import { Agent } from '../../src/agent.js'
import type { AgentOptions } from '../../src/options/agent-options.js'
import { nativeProtocol } from '../../src/protocol/native.js'
import { describeTools } from '../../src/protocol/native-tools.js'
import { taskDescription } from '../../src/task/task-description.js'
import { createTaskTool } from '../../src/task/task-tool.js'
import { PlayedModel, world } from '../support/agent.js'

/** A folder with two files and a session, gone at the end of the test. */
async function place(): Promise<{ readonly root: string; readonly session: SessionFile }> {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-native-'))
  for (const name of ['a', 'b']) writeFileSync(join(root, `${name}.ts`), `export const ${name} = 1\n`)
  const opening = await createSession(join(root, 's.mtm'))
  if (opening.kind !== 'opened') throw new Error(opening.message)
  onTestFinished(async () => {
    await opening.file.close()
    rmSync(root, { recursive: true, force: true })
  })
  return { root, session: opening.file }
}

function agentIn(
  { root, session }: Awaited<ReturnType<typeof place>>,
  options: Pick<AgentOptions, 'model' | 'protocol'> & { readonly tools?: readonly (Tool | LazyTool)[] },
): Promise<Agent> {
  const gate = new PermissionGate({ root, rules: [] })
  return Agent.open({ session, workspace: new Workspace({ root }), gate, tools: builtInTools(), ...options })
}

function modelOf(dialect: Dialect, server: WireServer): Promise<Model> {
  const { provider, basePath } = dialect
  return openModel({ provider, name: 'm', baseUrl: server.url + basePath, apiKey: 'key-0', source: 'flag' })
}

async function ask(agent: Agent, prompt = 'go', signal?: AbortSignal): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of agent.run(prompt, signal)) events.push(event)
  return events
}

const bodyOf = (server: WireServer, index = -1) => JSON.parse(server.requests.at(index)?.body ?? '')

/** Native calls to read one file each, as one reply. */
const reading = (...files: readonly string[]): SpokenReply => ({
  texts: ['I look ', 'at them.'],
  calls: files.map((file) => ({ id: `call_${file}`, name: 'Read', pieces: [`{"path":"${file}.ts"}`] })),
})

const byProvider = dialects.map((dialect) => [dialect.provider, dialect] as const)

describe('protocol: auto', () => {
  const expected = { 'openai-compatible': 'react', openai: 'native', anthropic: 'native', google: 'native' }

  test.for(byProvider)('A2 %s gets the protocol that its models are trained for', async ([name, dialect]) => {
    const protocol = expected[name as keyof typeof expected]
    const text = protocol === 'react' ? 'Action: Finish[fine]' : 'fine'
    const server = await wireServer(dialect.reply({ texts: [text] }))
    const agent = await agentIn(await place(), { model: await modelOf(dialect, server) })
    expect(agent.protocol).toBe(protocol)
    expect((await ask(agent)).at(-1)).toMatchObject({ status: 'done', answer: 'fine' })
    expect(bodyOf(server).tools !== undefined).toBe(protocol === 'native')
    expect(server.requests[0]?.body.includes('Action: ToolName')).toBe(protocol === 'react')
  })

  test.for(byProvider)('A2 %s is asked in the protocol that the user forces', async ([, dialect]) => {
    for (const protocol of ['react', 'native'] as const) {
      const server = await wireServer(dialect.reply({ texts: ['Thought: x\nAction: Finish[fine]'] }))
      const agent = await agentIn(await place(), { model: await modelOf(dialect, server), protocol })
      await ask(agent)
      expect(bodyOf(server).tools !== undefined).toBe(protocol === 'native')
    }
  })

  test('A2 A7 a sub-agent uses the protocol of its own model', async () => {
    const dialect = byProvider.find(([name]) => name === 'anthropic')?.[1] as Dialect
    const task = '{"description":"look","prompt":"look","subagent_type":"explore"}'
    const server = await wireServer(
      dialect.reply({ calls: [{ id: 't', name: 'Task', pieces: [task] }] }),
      dialect.reply({ texts: ['found'] }),
      dialect.reply({ texts: ['fine'] }),
    )
    await ask(await agentIn(await place(), { model: await modelOf(dialect, server) }))
    const toolsOf = (index: number) => bodyOf(server, index).tools.map(({ name }: { name: string }) => name)
    expect(server.requests).toHaveLength(3)
    expect(toolsOf(0)).toContain('Task')
    expect(toolsOf(1)).toEqual(expect.arrayContaining(['Read', 'Grep']))
    expect(toolsOf(1)).not.toContain('Task')
  })
})

describe('a native answer', () => {
  /** The reply up to its first words, after which nothing more comes. */
  function upTo(words: string, { steps }: Answer): Answer {
    const end = steps.findIndex((step) => typeof step === 'string' && step.includes(words))
    return { steps: [...steps.slice(0, end + 1), 'hang'] }
  }

  test.for(byProvider)('A2 %s: is shown before the rest has arrived', async ([, dialect]) => {
    const whole = dialect.reply({ texts: ['The first words', ' and all the others.'] })
    const server = await wireServer(upTo('The first words', whole))
    const model = await modelOf(dialect, server)
    const agent = await agentIn(await place(), { model, protocol: 'native' })
    const stop = new AbortController()
    const events: AgentEvent[] = []
    for await (const event of agent.run('go', stop.signal)) {
      events.push(event)
      // Nothing ends the reply but this.
      if (event.type === 'answer') stop.abort()
    }
    expect(events.filter(({ type }) => type === 'answer')).toEqual([
      { type: 'answer', text: 'The first words' },
    ])
    expect(events.at(-1)).toMatchObject({ status: 'cancelled', answer: 'The first words' })
  })

  test.for(byProvider)('A2 %s: words before a call are taken back as a thought', async ([, dialect]) => {
    const server = await wireServer(dialect.reply(reading('a')), dialect.reply({ texts: ['It is ', '1.'] }))
    const model = await modelOf(dialect, server)
    const events = await ask(await agentIn(await place(), { model, protocol: 'native' }))
    const told = events.filter(({ type }) => /^(?:answer|thought|tool-start|round-end)/.test(type))
    expect(told).toMatchObject([
      { type: 'answer', text: 'I look' },
      { type: 'answer', text: ' at them.' },
      { type: 'answer-reset', as: 'thought' },
      { type: 'tool-start', call: { name: 'Read' } },
      { type: 'answer', text: 'It is' },
      { type: 'answer', text: ' 1.' },
      { type: 'round-end', status: 'done', answer: 'It is 1.' },
    ])
  })

  test('A2 is its trimmed text, both while it streams and at the end', async () => {
    const here = world({ protocol: nativeProtocol([]) })
    const pieces = ['\n ', 'one', '\n\n', 'two', ' \n']
    const happened = await here.ask('go', [
      [...pieces.map((text) => ({ type: 'text', text }) as const), { type: 'end', reason: 'stop' }],
    ])
    const shown = happened.of('answer').map(({ text }) => text)
    expect(shown.join('')).toBe('one\n\ntwo')
    expect(happened.end.answer).toBe('one\n\ntwo')
    expect(happened.of('answer-reset')).toEqual([])
  })
})

describe('native calls of one reply', () => {
  test('A2 that only read run in parallel, and their results come in order', {
    timeout: 20_000,
  }, async () => {
    const arrived: string[] = []
    let open: () => void
    const second = new Promise<void>((resolve) => {
      open = resolve
    })
    /** The first waits for the second: one after the other, they would never end. */
    const waiting = (name: string, wait: Promise<void> | undefined): Tool =>
      defineTool({
        ...{ name, effect: 'read', prompt: `${name}: waits.\n{}`, parameters: strictObject({}) },
        async run() {
          arrived.push(name)
          if (name === 'Second') open()
          await wait
          return { status: 'success', data: { name }, text: name }
        },
      })
    const calls = ['First', 'Second'].map((name) => ({ id: name, name, args: {} }))
    const model = new PlayedModel([
      [...calls.map((call) => ({ type: 'call', call }) as const), { type: 'end', reason: 'calls' }],
      [
        { type: 'text', text: 'ok' },
        { type: 'end', reason: 'stop' },
      ],
    ])
    const tools = [waiting('First', second), waiting('Second', undefined)]
    const events = await ask(await agentIn(await place(), { model, protocol: 'native', tools }))
    expect(arrived).toEqual(['First', 'Second'])
    expect(events.filter(({ type }) => type === 'tool-end')).toMatchObject([
      { name: 'First' },
      { name: 'Second' },
    ])
    const seen = model.requests[1]?.messages.slice(-2) ?? []
    expect(seen.map(({ metadata }) => metadata?.call_id)).toEqual(['First', 'Second'])
  })

  test('A2 whatever a text looks like, it calls nothing', async () => {
    const texts = [...replies, ...modelReplies].map(({ reply }) => reply).filter((text) => text.trim() !== '')
    expect(texts.length).toBeGreaterThan(100)
    const here = world({ protocol: nativeProtocol([]), allow: ['Write', 'Edit', 'Bash(*)'] })
    for (const text of texts) {
      const happened = await here.ask('go', [
        [
          { type: 'text', text },
          { type: 'end', reason: 'stop' },
        ],
      ])
      expect(happened.of('tool-start'), text).toEqual([])
      expect(happened.end).toMatchObject({ status: 'done', answer: text.trim() })
    }
  })
})

describe('a session that continues in the other protocol', () => {
  const asked = ['first', 'second', 'third']

  /** Rounds in turn in the two protocols, each with calls, and the requests of the last one. */
  async function rounds(dialect: Dialect, protocols: readonly ('react' | 'native')[]) {
    const texts = (text: string) => dialect.reply({ texts: [text] })
    const answers = protocols.flatMap((protocol, round) =>
      protocol === 'native'
        ? [dialect.reply(reading('a', 'b')), texts(`Native answer ${round}.`)]
        : [
            texts('Thought: I look.\nAction: Read[{"path":"a.ts"}]'),
            texts(`Thought: seen\nAction: Finish[Text answer ${round}.]`),
          ],
    )
    const server = await wireServer(...answers)
    const here = await place()
    for (const [round, protocol] of protocols.entries()) {
      const agent = await agentIn(here, { model: await modelOf(dialect, server), protocol })
      const [end] = (await ask(agent, asked[round])).slice(-1)
      const answer = protocol === 'native' ? `Native answer ${round}.` : `Text answer ${round}.`
      expect(end).toMatchObject({ status: 'done', answer })
    }
    return bodyOf(server)
  }

  test.for(byProvider)(
    'A2 %s: from text to native, the calls and answers are native',
    async ([name, dialect]) => {
      const body = await rounds(dialect, ['react', 'native'])
      const text = JSON.stringify(body.messages ?? body.input ?? body.contents)
      expect(text).not.toContain('Action:')
      expect(text).not.toContain('Thought:')
      expect(text).toContain('Text answer 0.')
      expect(callsIn[name as keyof typeof callsIn](body)).toEqual({ calls: 3, results: 3 })
    },
  )

  test.for(byProvider)(
    'A2 %s: from native to text, each call is an action before its result',
    async ([name, dialect]) => {
      const body = await rounds(dialect, ['native', 'react'])
      expect(body.tools).toBeUndefined()
      expect(callsIn[name as keyof typeof callsIn](body)).toEqual({ calls: 0, results: 0 })
      const turns = turnsIn(body)
      expect(turns.map(({ role }) => role)).toEqual([
        ...['user', 'assistant', 'user', 'assistant', 'user', 'assistant'],
        ...['user', 'assistant', 'user'],
      ])
      expect(turns[1]?.text).toMatch(/^Thought: I look at them\.\s+Action: Read\[\{"path":"a\.ts"\}\]$/)
      expect(turns[2]?.text).toContain('[tool] ')
      expect(turns[3]?.text).toBe('Action: Read[{"path":"b.ts"}]')
      expect(turns[5]?.text).toBe('Native answer 0.')
    },
  )

  test.for(byProvider)('A2 %s: back and forth', async ([name, dialect]) => {
    const there = await rounds(dialect, ['native', 'react', 'native'])
    expect(callsIn[name as keyof typeof callsIn](there)).toEqual({ calls: 5, results: 5 })
    const back = await rounds(dialect, ['react', 'native', 'react'])
    expect(callsIn[name as keyof typeof callsIn](back)).toEqual({ calls: 0, results: 0 })
  })
})

test('A2 whatever the protocols of its rounds, every request of a session is valid for its provider', async () => {
  const round = fc.record({
    protocol: fc.constantFrom('react' as const, 'native' as const),
    files: fc.array(fc.constantFrom('a', 'b', 'gone'), { minLength: 1, maxLength: 3 }),
    said: fc.constantFrom('', 'I look.', 'Action: Read[{"path":"quoted.ts"}]'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 4 }), async (all) => {
      const answers = all.flatMap(({ protocol, files, said }) =>
        protocol === 'native'
          ? [chat.reply({ ...reading(...files), texts: [said] }), chat.reply({ texts: ['done'] })]
          : [
              ...files.map((file) => chat.reply({ texts: [`Action: Read[{"path":"${file}.ts"}]`] })),
              chat.reply({ texts: ['Action: Finish[done]'] }),
            ],
      )
      const server = await wireServer(...answers)
      const here = await place()
      for (const { protocol } of all) {
        const agent = await agentIn(here, { model: await modelOf(chat, server), protocol })
        expect((await ask(agent)).at(-1)).toMatchObject({ status: 'done', answer: 'done' })
      }
      for (const { body } of server.requests) {
        const { messages, tools } = JSON.parse(body)
        const { calls } = callsIn['openai-compatible']({ messages })
        if (tools === undefined) expect(calls).toBe(0)
        else expect(body).not.toMatch(/Action: (?:Finish|Read\[\{\\"path\\":\\"(?:a|b|gone))/)
      }
    }),
    { numRuns: runs(20) },
  )
}, 60_000)

/** A request's turns with their texts, whatever a provider calls them; system messages left out. */
function turnsIn(body: Body): { readonly role: string; readonly text: string }[] {
  const all: Body[] = body.messages ?? body.input ?? body.contents
  return all
    .filter(({ role }) => !/system|developer/.test(role))
    .map(({ role, content, parts }) => ({
      role: role === 'model' ? 'assistant' : role,
      text:
        typeof content === 'string'
          ? content
          : (content ?? parts).map(({ text = '' }: { text?: string }) => text).join('\n'),
    }))
}

// biome-ignore lint/suspicious/noExplicitAny: each provider has a form of its own, and the tests read four.
type Body = any

/** Calls and results of a request. Throws where a result does not directly follow its call, as providers do. */
const callsIn = {
  'openai-compatible': ({ messages }: Body) => {
    let due: string[] = []
    const count = { calls: 0, results: 0 }
    for (const { role, tool_calls = [], tool_call_id } of messages) {
      if (role === 'tool') {
        expect(due.shift()).toBe(tool_call_id)
        count.results++
        continue
      }
      expect(due).toEqual([])
      due = tool_calls.map(({ id }: { id: string }) => id)
      count.calls += due.length
    }
    expect(due).toEqual([])
    return count
  },
  openai: ({ input }: Body) => {
    const ids = (type: string) =>
      input.filter((item: Body) => item.type === type).map((item: Body) => item.call_id)
    expect(new Set(ids('function_call')).size).toBe(ids('function_call').length)
    expect(ids('function_call_output')).toEqual(ids('function_call'))
    return { calls: ids('function_call').length, results: ids('function_call_output').length }
  },
  anthropic: ({ messages, tools }: Body) => {
    const count = { calls: 0, results: 0 }
    let due: string[] = []
    messages.forEach(({ role, content }: Body, index: number) => {
      expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant')
      const of = (type: string) => content.filter((part: Body) => part.type === type)
      const given = of('tool_result').map((part: Body) => part.tool_use_id)
      expect(given).toEqual(due)
      count.results += given.length
      due = of('tool_use').map(({ id }: Body) => id)
      count.calls += due.length
    })
    expect(due).toEqual([])
    // It refuses calls of tools that a request does not describe.
    if (count.calls > 0) expect(tools.length).toBeGreaterThan(0)
    return count
  },
  google: ({ contents }: Body) => {
    const count = { calls: 0, results: 0 }
    let due: string[] = []
    for (const { parts } of contents) {
      const given = parts.flatMap((part: Body) => part.functionResponse?.name ?? [])
      expect(given).toEqual(due)
      count.results += given.length
      due = parts.flatMap((part: Body) => part.functionCall?.name ?? [])
      count.calls += due.length
    }
    expect(due).toEqual([])
    return count
  },
}

test('A2 built-in tools are described without loading them', async () => {
  const unloaded = builtInTools().map((tool) => ({
    ...tool,
    load: () => Promise.reject(new Error(`${tool.name} was loaded`)),
  }))
  const described = await describeTools(unloaded)
  expect(described.map(({ name }) => name)).toEqual(unloaded.map(({ name }) => name))
  const read = described.find(({ name }) => name === 'Read')
  expect(read?.description).toBe('Reads a text file. Each line comes after its number and a tab.')
  expect(read?.parameters.required).toEqual(['path'])
})

test('A2 A7 Task’s description matches its checks; with native calls, several calls replace the argument more', async () => {
  const { properties = {}, required } = toJSONSchema(createTaskTool(async () => notAsked).parameters, {
    io: 'input',
  })
  const { more: _, ...others } = properties
  const { schema, prompt } = taskDescription
  expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(others))
  expect(schema).toMatchObject({ required, properties: { subagent_type: enumOf(others.subagent_type) } })
  const [described] = await describeTools([{ ...taskDescription, load: () => Promise.reject(notAsked) }])
  expect(described?.description).toBe('Gives part of the work to a sub-agent, which reports back.')
  expect(prompt).toContain('"more": ')
})

const notAsked = { status: 'done', report: '', session: '', steps: 0 } as const

function enumOf(schema: unknown): object {
  return { enum: (schema as { enum: readonly string[] }).enum }
}
