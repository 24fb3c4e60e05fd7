import { openModel, type ProviderName } from '@mutsumi/model'
import type { AgentMessage, ModelRequest } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { ChatMessages } from '../../src/chat/chat-messages.js'
import { wireId } from '../../src/messages/wire-id.js'
import { effortProblem } from '../../src/providers/reasoning-effort.js'
import { ask, bodySender, modelAt, secretKey } from '../support/asking.js'
import { dialectOf } from '../support/dialects.js'
import { wireServer } from '../support/wire-server.js'

const pixel = 'iVBORw0KGgo='
const tools: ModelRequest['tools'] = [{ name: 'Read', description: 'Reads.', parameters: { type: 'object' } }]

/** A conversation with everything in it. */
const conversation: readonly AgentMessage[] = [
  { role: 'system', content: 'You are Mutsumi.' },
  { role: 'system', content: 'Project rules.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}`, detail: 'high' } },
      { type: 'image_url', image_url: { url: 'https://pictures.test/a.png', detail: 'auto' } },
      { type: 'text', text: '' },
    ],
  },
  {
    role: 'assistant',
    content: 'I read both.',
    metadata: {
      calls: [
        { id: 'call:1/ä', name: 'Read', args: { path: 'a.ts' } },
        { id: 'call_2', name: 'Read', args: { path: 'b.ts' } },
      ],
    },
  },
  { role: 'tool', content: '{"status":"success"}', metadata: { call_id: 'call:1/ä', tool_name: 'Read' } },
  { role: 'tool', content: '{"status":"error"}', metadata: { call_id: 'call_2', tool_name: 'Read' } },
  { role: 'user', content: 'Go on.' },
]

/** A request as the provider's wire format has it. */
async function sent(provider: Parameters<typeof dialectOf>[0], request: ModelRequest) {
  const dialect = dialectOf(provider)
  const server = await wireServer(dialect.reply({ texts: ['ok'] }))
  expect((await ask(await modelAt(server, { dialect }), request)).at(-1)).toEqual({
    type: 'end',
    reason: 'stop',
  })
  return JSON.parse(server.requests[0]?.body ?? '')
}

describe('native calls on the wire', () => {
  it('A5 an OpenAI-compatible server gets one system message, pictures, calls and their results', async () => {
    const {
      messages,
      tools: told,
      stream_options,
    } = await sent('openai-compatible', { messages: conversation, tools })
    expect(messages).toEqual([
      { role: 'system', content: 'You are Mutsumi.\n\nProject rules.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}`, detail: 'high' } },
          {
            type: 'image_url',
            image_url: { url: 'https://pictures.test/a.png', detail: 'auto' },
          },
        ],
      },
      {
        role: 'assistant',
        content: 'I read both.',
        tool_calls: [
          {
            id: wireId('call:1/ä'),
            type: 'function',
            function: { name: 'Read', arguments: '{"path":"a.ts"}' },
          },
          { id: 'call_2', type: 'function', function: { name: 'Read', arguments: '{"path":"b.ts"}' } },
        ],
      },
      { role: 'tool', tool_call_id: wireId('call:1/ä'), content: '{"status":"success"}' },
      { role: 'tool', tool_call_id: 'call_2', content: '{"status":"error"}' },
      { role: 'user', content: 'Go on.' },
    ])
    expect(told).toMatchObject([{ type: 'function', function: { name: 'Read', description: 'Reads.' } }])
    expect(stream_options).toEqual({ include_usage: true })
  })

  it('L1 system messages are separate where the provider takes several, and one where a chat template may refuse them', async () => {
    const known = async (provider: ProviderName, systemMessages?: 'separate' | 'merged') => {
      const send = await bodySender(provider, systemMessages && { systemMessages })
      const { messages } = await send({ messages: conversation })
      return messages.filter(({ role }: AgentMessage) => role === 'system').length
    }
    for (const provider of ['azure', 'deepseek', 'mistral'] as const) expect(await known(provider)).toBe(2)
    for (const provider of ['ollama', 'lmstudio', 'groq', 'openrouter', 'openai-compatible'] as const)
      expect(await known(provider)).toBe(1)
    expect(await known('deepseek', 'merged')).toBe(1)
    expect(await known('ollama', 'separate')).toBe(2)
    const send = await bodySender('ollama', { systemMessages: 'separate' })
    const { messages } = await send({ messages: conversation })
    expect(messages.slice(0, 2)).toEqual(conversation.slice(0, 2))
  })

  it('A5 Anthropic gets system blocks, alternating turns and marks for its cache', async () => {
    const { system, messages } = await sent('anthropic', {
      messages: conversation,
      tools,
      cacheAfter: [0, 1, 5],
    })
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(system).toEqual([
      { type: 'text', text: 'You are Mutsumi.', ...mark },
      { type: 'text', text: 'Project rules.', ...mark },
    ])
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[0].content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
      { type: 'image', source: { type: 'url', url: 'https://pictures.test/a.png' } },
    ])
    expect(messages[1].content).toMatchObject([
      { type: 'text', text: 'I read both.' },
      { type: 'tool_use', id: wireId('call:1/ä'), name: 'Read', input: { path: 'a.ts' } },
      { type: 'tool_use', id: 'call_2' },
    ])
    expect(messages[2].content).toMatchObject([
      { type: 'tool_result', tool_use_id: wireId('call:1/ä'), content: '{"status":"success"}' },
      { type: 'tool_result', tool_use_id: 'call_2', ...mark },
      { type: 'text', text: 'Go on.' },
    ])
    expect(JSON.stringify(messages).split('cache_control')).toHaveLength(2)
  })

  it('A5 if there are more than four marks, Anthropic gets the last four', async () => {
    const messages: AgentMessage[] = Array.from({ length: 8 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `message ${index}`,
    }))
    const body = await sent('anthropic', {
      messages: [...messages, { role: 'user', content: 'x' }],
      cacheAfter: [0, 1, 2, 3, 4, 5],
    })
    const marked = body.messages.filter((message: object) =>
      JSON.stringify(message).includes('cache_control'),
    )
    expect(marked.map(({ content }: { content: { text: string }[] }) => content[0]?.text)).toEqual([
      'message 2',
      'message 3',
      'message 4',
      'message 5',
    ])
  })

  it('A5 OpenAI gets input items and is asked to store nothing', async () => {
    const { input, store } = await sent('openai', { messages: conversation, tools, stop: ['Observation:'] })
    expect(store).toBe(false)
    expect(input.map(({ role, type }: { role?: string; type?: string }) => role ?? type)).toEqual([
      expect.stringMatching(/system|developer/),
      expect.stringMatching(/system|developer/),
      'user',
      'assistant',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'user',
    ])
    expect(input[2].content[1]).toMatchObject({ type: 'input_image', detail: 'high' })
    expect(input[2].content[2]).toMatchObject({ type: 'input_image', detail: 'auto' })
    expect(input[4]).toMatchObject({ call_id: wireId('call:1/ä'), name: 'Read' })
  })

  it('A5 Google gets its instruction, its parts and its stop strings', async () => {
    const { systemInstruction, contents, generationConfig } = await sent('google', {
      messages: conversation,
      tools,
      stop: ['Observation:'],
      maxOutputTokens: 77,
    })
    expect(systemInstruction.parts).toEqual([{ text: 'You are Mutsumi.' }, { text: 'Project rules.' }])
    expect(contents.map(({ role }: { role: string }) => role)).toEqual(['user', 'model', 'user', 'user'])
    expect(contents[1].parts[1].functionCall).toMatchObject({ name: 'Read', args: { path: 'a.ts' } })
    expect(generationConfig).toMatchObject({ stopSequences: ['Observation:'], maxOutputTokens: 77 })
  })
})

describe("calls and results from another program's session", () => {
  it('A5 a result finds its call by the wire format’s id', async () => {
    const asked = { id: 'w', type: 'function', function: { name: 'Read', arguments: '{"path":"a.ts"}' } }
    const messages = [
      { role: 'user', content: 'Read it.' },
      { role: 'assistant', content: '', tool_calls: [asked] },
      { role: 'tool', content: 'text', tool_call_id: 'w', name: 'Read' },
    ] as readonly AgentMessage[]
    const chat = await sent('openai-compatible', { messages, tools })
    expect(chat.messages.slice(1)).toEqual([
      { role: 'assistant', content: null, tool_calls: [asked] },
      { role: 'tool', tool_call_id: 'w', content: 'text' },
    ])
    const anthropic = await sent('anthropic', { messages, tools })
    expect(anthropic.messages[2].content).toMatchObject([{ type: 'tool_result', tool_use_id: 'w' }])
  })
})

describe('settings for replies', () => {
  const request: ModelRequest = {
    messages: [{ role: 'user', content: 'Go.' }],
    temperature: 0.5,
    maxOutputTokens: 77,
    reasoningEffort: 'low',
  }

  it('A5 an OpenAI-compatible server gets them in its own terms', async () => {
    expect(await sent('openai-compatible', request)).toMatchObject({
      ...{ temperature: 0.5, max_tokens: 77, reasoning_effort: 'low' },
    })
  })

  it('A5 Anthropic gets them in its own terms', async () => {
    expect(await sent('anthropic', request)).toMatchObject({
      ...{ temperature: 0.5, max_tokens: 77, output_config: { effort: 'low' } },
    })
  })

  it('A5 Google gets them in its own terms', async () => {
    const { generationConfig } = await sent('google', request)
    expect(generationConfig).toMatchObject({
      ...{ temperature: 0.5, maxOutputTokens: 77, thinkingConfig: { thinkingLevel: 'low' } },
    })
  })

  it('A5 OpenAI gets them in its own terms: reasoning models get an effort, the others a temperature', async () => {
    const dialect = dialectOf('openai')
    const server = await wireServer(dialect.reply({ texts: ['ok'] }), dialect.reply({ texts: ['ok'] }))
    for (const name of ['gpt-5', 'gpt-4.1'])
      await ask(
        await openModel({
          ...{ provider: 'openai', name, baseUrl: `${server.url}${dialect.basePath}` },
          ...{ apiKey: secretKey, source: 'flag' },
        }),
        request,
      )
    const [thinks, talks] = server.requests.map(({ body }) => JSON.parse(body))
    expect(thinks).toMatchObject({ reasoning: { effort: 'low' }, max_output_tokens: 77 })
    expect(talks).toMatchObject({ temperature: 0.5, max_output_tokens: 77 })
  })

  it('A5 an effort that a provider does not support is an error before any request', () => {
    expect(effortProblem('anthropic', 'minimal')?.message).toContain('it knows low, medium, high, xhigh')
    expect(effortProblem('google', 'xhigh')?.message).toContain('google does not know')
    expect(effortProblem('openai', 'minimal')).toBeUndefined()
    expect(effortProblem('openai-compatible', 'xhigh')).toBeUndefined()
  })
})

describe('a picture with an invalid address', () => {
  const broken = [
    'https://a b',
    'http://[bad',
    'http://',
    'https://%zz/x.png',
    '',
    'a.png\n[tool] done',
    'data:text/html;base64,PGI+',
    'file:///a.png',
  ]

  it('A5 is reported, and stops no request', async () => {
    for (const url of broken) {
      const content = [{ type: 'image_url', image_url: { url, detail: 'high' } }] as const
      const said = `[image: ${url.replace('\n', '\\u000a')}]`
      const { messages } = await sent('openai-compatible', { messages: [{ role: 'user', content }] })
      expect(messages).toEqual([{ role: 'user', content: said }])
    }
    const emoji = [{ type: 'image_url', image_url: { url: `${'x'.repeat(199)}🙂`, detail: 'auto' } }] as const
    const long = await sent('openai-compatible', { messages: [{ role: 'user', content: emoji }] })
    expect(long.messages[0].content).toBe(`[image: ${'x'.repeat(199)}]`)
    const [url = ''] = broken
    const content = [{ type: 'image_url', image_url: { url, detail: 'auto' } }] as const
    const body = await sent('anthropic', { messages: [{ role: 'user', content }] })
    expect(body.messages[0].content).toEqual([{ type: 'text', text: `[image: ${url}]` }])
  })
})

describe('the text protocol', () => {
  const chat = (request: ModelRequest) => JSON.parse(new ChatMessages().encode(request))

  it('A5 results are user messages, and calls are the text that asked for them', () => {
    const messages: AgentMessage[] = [
      { role: 'user', content: 'Read it.' },
      {
        role: 'assistant',
        content: 'Thought: I read.\nAction: Read[{"path":"a"}]',
        metadata: { calls: [{ id: 'c', name: 'Read', args: { path: 'a' } }] },
      },
      { role: 'tool', content: '{"status":"success"}', metadata: { call_id: 'c', tool_name: 'Read' } },
    ]
    expect(chat({ messages })).toEqual([
      { role: 'user', content: 'Read it.' },
      { role: 'assistant', content: 'Thought: I read.\nAction: Read[{"path":"a"}]' },
      { role: 'user', content: '[tool] {"status":"success"}' },
    ])
  })

  it('A5 native calls are written as text', () => {
    const messages: AgentMessage[] = [
      { role: 'user', content: 'Read it.' },
      {
        role: 'assistant',
        content: '',
        metadata: { calls: [{ id: 'c', name: 'Read', args: { path: 'a' } }] },
      },
      { role: 'tool', content: 'A', metadata: { call_id: 'c' } },
      { role: 'user', content: 'And?' },
    ]
    expect(chat({ messages }).slice(1)).toEqual([
      { role: 'assistant', content: 'Action: Read[{"path":"a"}]' },
      { role: 'user', content: '[tool] A\n\nAnd?' },
    ])
  })

  it('A2 several native calls are written one by one, each before its result', () => {
    const calls = ['a', 'b'].map((id) => ({ id, name: 'Read', args: { path: id } }))
    const messages: AgentMessage[] = [
      { role: 'user', content: 'Read them.' },
      { role: 'assistant', content: 'Both: Read[', metadata: { protocol: 'native', calls } },
      { role: 'tool', content: 'A', metadata: { call_id: 'a' } },
      { role: 'tool', content: 'B', metadata: { call_id: 'b' } },
    ]
    expect(chat({ messages }).slice(1)).toEqual([
      { role: 'assistant', content: 'Thought: Both: Read[\nAction: Read[{"path":"a"}]' },
      { role: 'user', content: '[tool] A' },
      { role: 'assistant', content: 'Action: Read[{"path":"b"}]' },
      { role: 'user', content: '[tool] B' },
    ])
  })

  it('A2 in native requests, ReAct steps lose their text form, and native texts stay as they are', () => {
    const answer = 'Write this:\nAction: Finish[x]'
    const messages: AgentMessage[] = [
      {
        role: 'assistant',
        content: 'Thought: I look.\nAction: Read[{"path":"a"}]',
        metadata: { calls: [{ id: 'c', name: 'Read', args: { path: 'a' } }] },
      },
      { role: 'tool', content: 'A', metadata: { call_id: 'c' } },
      { role: 'assistant', content: 'Thought: seen\nAction: Finish[It is A.]' },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: answer, metadata: { protocol: 'native' } },
    ]
    const said = chat({ messages, tools: tools ?? [] }).map(({ content }: { content: string }) => content)
    expect(said).toEqual(['I look.', 'A', 'It is A.', 'And?', answer])
  })

  it('A5 a result without its call is sent even with native calls', () => {
    const messages: AgentMessage[] = [
      { role: 'user', content: 'Hi' },
      { role: 'tool', content: 'stray', metadata: { call_id: 'gone' } },
    ]
    expect(chat({ messages, tools: tools ?? [] })).toEqual([{ role: 'user', content: 'Hi\n\n[tool] stray' }])
  })

  it('A5 a system message in the middle is sent as a user message, with its label', async () => {
    const messages: AgentMessage[] = [
      { role: 'system', content: 'first' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'system', content: 'Summary: …' },
      { role: 'user', content: 'Go on' },
    ]
    const said = { role: 'user', content: '[system] Summary: …\n\nGo on' }
    expect((await sent('openai-compatible', { messages })).messages.at(-1)).toEqual(said)
    expect((await sent('google', { messages })).contents.at(-1).parts).toEqual([
      { text: '[system] Summary: …' },
      { text: 'Go on' },
    ])
  })

  it('A5 the beginning of a longer conversation is the shorter one', () => {
    const rounds = Array.from({ length: 6 }, (_, round): AgentMessage[] => [
      { role: 'user', content: `question ${round}` },
      { role: 'assistant', content: `Action: Read[{"n":${round}}]` },
      { role: 'tool', content: `result ${round}` },
      { role: 'assistant', content: `answer ${round}` },
    ]).flat()
    for (let length = 1; length < rounds.length; length++) {
      const before = chat({ messages: rounds.slice(0, length) })
      const after = chat({ messages: rounds.slice(0, length + 1) })
      expect(after.slice(0, before.length)).toEqual(before)
    }
  })
})

describe('valid conversations for every provider', () => {
  const text = fc.oneof(fc.string(), fc.constant(''), fc.constant(' \n'))
  const call = fc.record({ id: fc.string(), name: fc.constant('Read'), args: fc.constant({}) })
  const message: fc.Arbitrary<AgentMessage> = fc.oneof(
    fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: text }),
    fc
      .record({ content: text, calls: fc.array(call, { maxLength: 3 }) })
      .map(({ content, calls }) => ({ role: 'assistant' as const, content, metadata: { calls } })),
    fc
      .record({ content: text, id: fc.string() })
      .map(({ content, id }) => ({ role: 'tool' as const, content, metadata: { call_id: id } })),
  )

  const requests = fc
    .record({ messages: fc.array(message), native: fc.boolean() })
    .map(({ messages, native }): ModelRequest => (native ? { messages, tools: tools ?? [] } : { messages }))
  const plainId = /^[a-zA-Z0-9_-]{1,64}$/

  it('A5 whatever is in a conversation, roles alternate, no text is empty and every result has its call', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const wire: ChatOnWire[] = JSON.parse(new ChatMessages().encode(request))
        const open = new Set<string>()
        wire.forEach(({ role, content, tool_calls = [], tool_call_id = '' }, index) => {
          if (role === 'system') expect(index).toBe(0)
          if (role === 'tool') expect(open.delete(tool_call_id)).toBe(true)
          else {
            expect(role).not.toBe(wire[index - 1]?.role)
            if (tool_calls.length === 0) expect(content?.trim()).not.toBe('')
            expect(content).not.toBe('')
          }
          if (role === 'assistant') open.clear()
          for (const { id } of tool_calls) {
            expect(id).toMatch(plainId)
            open.add(id)
          }
        })
      }),
      { numRuns: runs(500) },
    )
  })

  it('A5 whatever is in a conversation, Anthropic gets no empty text, and each result after its call', async () => {
    const bodyOf = await bodySender('anthropic')
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { messages } = await bodyOf({ ...request, cacheAfter: [0, request.messages.length - 1] })
        const called = new Set<string>()
        for (const { content } of messages)
          for (const block of content) {
            if (block.type === 'text') expect(block.text.trim()).not.toBe('')
            if (block.type === 'tool_use') expect(block.id).toMatch(plainId)
            if (block.type === 'tool_use') called.add(block.id)
            if (block.type === 'tool_result') expect(called.has(block.tool_use_id)).toBe(true)
          }
      }),
      { numRuns: runs(200) },
    )
  })

  it.each(['openai-compatible', 'anthropic', 'openai', 'google'] as const)(
    'A5 %s gets repeated messages in the same form as new ones, whatever is between and after them',
    async (provider) => {
      const [bodyOf, bodyOfNew] = await Promise.all([bodySender(provider), bodySender(provider)])
      const uses = fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(fc.array(message, { minLength: 1 }), uses, async (messages, given) => {
          for (const [count, native] of given) {
            const shown = messages.slice(0, 1 + (count % messages.length))
            const rest = { cacheAfter: [count % shown.length], ...(native && { tools: tools ?? [] }) }
            const sentAgain = await bodyOf({ messages: shown, ...rest })
            expect(sentAgain).toEqual(await bodyOfNew({ messages: structuredClone(shown), ...rest }))
          }
        }),
        { numRuns: runs(100) },
      )
    },
  )

  it('A5 a request that continues, shortens or changes the previous one is written as if it were the first', () => {
    const cuts = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), cuts, (messages, requests) => {
        const chat = new ChatMessages()
        for (const [end, skipped, native] of requests) {
          const shown = messages.slice(0, 1 + (end % messages.length))
          const left = shown.filter((_, index) => index !== skipped % (2 * shown.length))
          const request = native ? { messages: left, tools: tools ?? [] } : { messages: left }
          expect(chat.encode(request)).toBe(new ChatMessages().encode(request))
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  it('A5 a request that cannot be written does not affect the next one', () => {
    const circular: { self?: object } = {}
    circular.self = circular
    const bad: AgentMessage = {
      role: 'assistant',
      content: 'BAD',
      metadata: { calls: [{ id: 'c', name: 'Read', args: circular }] },
    }
    const one: AgentMessage = { role: 'user', content: 'one' }
    const fine: AgentMessage = { role: 'assistant', content: 'fine' }
    const between: AgentMessage = { role: 'user', content: 'BETWEEN' }
    const two: AgentMessage = { role: 'user', content: 'two' }
    for (const rest of [{}, { tools: tools ?? [] }]) {
      const chat = new ChatMessages()
      chat.encode({ messages: [one], ...rest })
      expect(() => chat.encode({ messages: [one, fine, between, bad, two], ...rest })).toThrow(TypeError)
      const next = { messages: [one, fine, two], ...rest }
      expect(chat.encode(next)).toBe(new ChatMessages().encode(next))
    }
  })

  it('A5 valid call ids stay as they are, and no two become equal', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), (ids) => {
        const given = ids.map(wireId)
        expect(new Set(given).size).toBe(ids.length)
        for (const id of given) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      }),
      { numRuns: runs(200) },
    )
    expect(wireId('call_aB-9')).toBe('call_aB-9')
  })
})

interface ChatOnWire {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
}
