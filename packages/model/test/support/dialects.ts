import type { ProviderName } from '@mutsumi/model'
import { type Answer, events, namedEvents } from './wire-server.js'

export interface SpokenCall {
  readonly id: string
  readonly name: string
  /** JSON, whole or not, in the pieces it comes in. */
  readonly pieces: readonly string[]
}

export interface SpokenUsage {
  readonly input: number
  readonly output: number
  readonly cached?: number
  readonly written?: number
}

export interface SpokenReply {
  readonly texts?: readonly string[]
  readonly calls?: readonly SpokenCall[]
  readonly usage?: SpokenUsage
  /** The provider's own word; its usual one if absent. */
  readonly finish?: string
}

/** A reply as each provider sends it over its wire. */
export interface Dialect {
  readonly provider: ProviderName
  /** Behind the server's address. */
  readonly basePath: string
  readonly path: RegExp
  readonly finishByLength: string
  readonly finishByFilter: string
  reply(reply: SpokenReply): Answer
}

const usual: SpokenUsage = { input: 10, output: 3 }

const openaiCompatible: Dialect = {
  provider: 'openai-compatible',
  basePath: '/v1',
  path: /^\/v1\/chat\/completions$/,
  finishByLength: 'length',
  finishByFilter: 'content_filter',
  reply({ texts = [], calls = [], usage = usual, finish }) {
    const chunk = (delta: object, more: object = {}) => ({
      id: 'chat-1',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, ...more }],
    })
    const called = calls.flatMap(({ id, name, pieces }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ])
    const reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
    return {
      steps: events(
        chunk({ role: 'assistant', content: '' }),
        ...texts.map((content) => chunk({ content })),
        ...called,
        chunk({}, { finish_reason: reason }),
        {
          id: 'chat-1',
          choices: [],
          usage: {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
          },
        },
        '[DONE]',
      ),
    }
  },
}

const openai: Dialect = {
  provider: 'openai',
  basePath: '/v1',
  path: /^\/v1\/responses$/,
  finishByLength: 'max_output_tokens',
  finishByFilter: 'content_filter',
  reply({ texts = [], calls = [], usage = usual, finish }) {
    const message = { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] }
    const said = texts.map((delta) => ({
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }))
    const called = calls.flatMap(({ id, name, pieces }, index) => {
      const item = { type: 'function_call', id: `fc_${index}`, call_id: id, name, status: 'completed' }
      const place = { output_index: index + 1, item_id: `fc_${index}` }
      return [
        { type: 'response.output_item.added', output_index: index + 1, item: { ...item, arguments: '' } },
        ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
        {
          type: 'response.output_item.done',
          output_index: index + 1,
          item: { ...item, arguments: pieces.join('') },
        },
      ]
    })
    const counted = {
      input_tokens: usage.input,
      output_tokens: usage.output,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    }
    const response = { id: 'resp_1', created_at: 1, model: 'm', usage: counted }
    return {
      steps: namedEvents(
        { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'm' } },
        ...(texts.length > 0 ? [{ type: 'response.output_item.added', output_index: 0, item: message }] : []),
        ...said,
        ...(texts.length > 0 ? [{ type: 'response.output_item.done', output_index: 0, item: message }] : []),
        ...called,
        finish === undefined
          ? { type: 'response.completed', response }
          : {
              type: 'response.incomplete',
              response: { ...response, incomplete_details: { reason: finish } },
            },
      ),
    }
  },
}

const anthropic: Dialect = {
  provider: 'anthropic',
  basePath: '/v1',
  path: /^\/v1\/messages$/,
  finishByLength: 'max_tokens',
  finishByFilter: 'refusal',
  reply({ texts = [], calls = [], usage = usual, finish }) {
    const start = {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input - (usage.cached ?? 0) - (usage.written ?? 0),
          output_tokens: 1,
          cache_read_input_tokens: usage.cached ?? 0,
          cache_creation_input_tokens: usage.written ?? 0,
        },
      },
    }
    const said = [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...texts.map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      })),
      { type: 'content_block_stop', index: 0 },
    ]
    const called = calls.flatMap(({ id, name, pieces }, place) => {
      const index = place + 1
      return [
        { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
        ...pieces.map((partial_json) => ({
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json },
        })),
        { type: 'content_block_stop', index },
      ]
    })
    return {
      steps: namedEvents(
        start,
        { type: 'ping' },
        ...(texts.length > 0 ? said : []),
        ...called,
        {
          type: 'message_delta',
          delta: { stop_reason: finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn'), stop_sequence: null },
          usage: { output_tokens: usage.output },
        },
        { type: 'message_stop' },
      ),
    }
  },
}

const google: Dialect = {
  provider: 'google',
  basePath: '/v1beta',
  path: /^\/v1beta\/models\/m:streamGenerateContent\?alt=sse$/,
  finishByLength: 'MAX_TOKENS',
  finishByFilter: 'SAFETY',
  reply({ texts = [], calls = [], usage = usual, finish }) {
    const parts = [
      ...texts.map((text) => ({ text })),
      ...calls.map(({ id, name, pieces }) => ({
        functionCall: { id, name, args: JSON.parse(pieces.join('') || '{}') as object },
      })),
    ]
    const chunks = parts.map((part) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: [part] } }],
    }))
    return {
      steps: events(...chunks, {
        candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: finish ?? 'STOP' }],
        usageMetadata: {
          promptTokenCount: usage.input,
          candidatesTokenCount: usage.output,
          totalTokenCount: usage.input + usage.output,
          cachedContentTokenCount: usage.cached ?? 0,
        },
      }),
    }
  },
}

export const dialects: readonly Dialect[] = [openaiCompatible, openai, anthropic, google]

export const chat = openaiCompatible

export function dialectOf(provider: ProviderName): Dialect {
  const found = dialects.find((dialect) => dialect.provider === provider)
  if (!found) throw new Error(`no dialect for ${provider}`)
  return found
}
