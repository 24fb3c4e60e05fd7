import type { AgentMessage, ModelRequest, RecordedCall } from '@mutsumi/schema'
import { describe, expect, it } from 'vitest'
import { ask, callsIn, modelAt } from '../support/asking.js'
import { type Dialect, dialectOf } from '../support/dialects.js'
import { events, wireServer } from '../support/wire-server.js'

const tools: NonNullable<ModelRequest['tools']> = [
  { name: 'Read', description: 'Reads.', parameters: { type: 'object' } },
]
const question: AgentMessage = { role: 'user', content: 'Go.' }

/** The conversation after these calls were made and answered. */
function after(calls: readonly RecordedCall[]): ModelRequest {
  const answers = calls.map(
    ({ id, name }): AgentMessage => ({
      role: 'tool',
      content: '{"status":"success"}',
      metadata: { call_id: id, tool_name: name },
    }),
  )
  const step: AgentMessage = { role: 'assistant', content: '', metadata: { calls } }
  return { messages: [question, step, ...answers], tools }
}

/** The request on the wire after the calls of a first reply are in the history. */
async function nextBody(dialect: Dialect, first: object[], then: Dialect = dialect) {
  const server = await wireServer({ steps: events(...first, '[DONE]') })
  const calls = callsIn(await ask(await modelAt(server, { dialect }), { messages: [question], tools }))
  expect(calls).toHaveLength(1)
  const next = await wireServer(then.reply({ texts: ['ok'] }))
  await ask(await modelAt(next, { dialect: then }), after(calls))
  return next.requests[0]?.body ?? ''
}

const chatReply = [
  { choices: [{ index: 0, delta: { reasoning_content: 'I must ' } }] },
  { choices: [{ index: 0, delta: { reasoning_content: 'read.' } }] },
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [
            {
              index: 0,
              id: 'c1',
              function: { name: 'Read', arguments: '{}' },
              extra_content: { google: { thought_signature: 'SIGNED' } },
            },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
]

const googleReply = [
  {
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [{ functionCall: { id: 'g1', name: 'Read', args: {} }, thoughtSignature: 'SIGNED' }],
        },
        finishReason: 'STOP',
      },
    ],
  },
]

describe('what a provider wants back with a call', () => {
  it('A2 chat completion servers get their reasoning and their signatures back', async () => {
    const body = JSON.parse(await nextBody(dialectOf('openai-compatible'), chatReply))
    expect(body.messages[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'I must read.',
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'Read', arguments: '{}' },
          extra_content: { google: { thought_signature: 'SIGNED' } },
        },
      ],
    })
  })

  it('A2 Google gets the signature of its call back', async () => {
    const body = JSON.parse(await nextBody(dialectOf('google'), googleReply))
    expect(body.contents[1].parts).toMatchObject([{ functionCall: {}, thoughtSignature: 'SIGNED' }])
  })

  it('A2 another provider gets none of it', async () => {
    const body = await nextBody(dialectOf('google'), googleReply, dialectOf('openai-compatible'))
    expect(body).not.toContain('SIGNED')
    expect(await nextBody(dialectOf('openai-compatible'), chatReply, dialectOf('anthropic'))).not.toMatch(
      /SIGNED|I must/,
    )
  })

  it.each(['openai-compatible', 'openai', 'anthropic'] as const)(
    'A2 %s gets valid tool names, whatever names the model invented',
    async (provider) => {
      const dialect = dialectOf(provider)
      const server = await wireServer(dialect.reply({ texts: ['ok'] }))
      await ask(
        await modelAt(server, { dialect }),
        after([{ id: 'c1', name: 'multi_tool_use.parallel', args: {} }]),
      )
      const names = [...(server.requests[0]?.body ?? '').matchAll(/"name":"(multi[^"]*)"/g)]
      expect(names.length).toBeGreaterThan(0)
      for (const [, name] of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    },
  )
})
