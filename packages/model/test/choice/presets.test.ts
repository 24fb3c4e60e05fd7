import {
  listPresets,
  type ModelSettings,
  openModel,
  resolveModelBeside,
  resolveModelChoice,
} from '@mutsumi/model'
import { expect, test } from 'vitest'
import { ask, textIn } from '../support/asking.js'
import { chat } from '../support/dialects.js'
import { wireServer } from '../support/wire-server.js'

const keys = {
  OPENROUTER_API_KEY: 'key-openrouter',
  DEEPSEEK_API_KEY: 'key-deepseek',
  GROQ_API_KEY: 'key-groq',
  MISTRAL_API_KEY: 'key-mistral',
  AZURE_API_KEY: 'key-azure',
  OPENAI_API_KEY: 'key-openai',
}

function chosen(model: string, settings: ModelSettings = {}) {
  const resolved = resolveModelChoice({ ...settings, flags: { model, ...settings.flags } })
  if (!resolved.choice) throw new Error(resolved.fault?.message ?? 'nothing chosen')
  return resolved.choice
}

test.each([
  ['ollama/qwen3', { provider: 'ollama', name: 'qwen3' }],
  ['lmstudio/qwen/qwen3-8b', { provider: 'lmstudio', name: 'qwen/qwen3-8b' }],
  [
    'openrouter/anthropic/claude-sonnet-4.5',
    { provider: 'openrouter', name: 'anthropic/claude-sonnet-4.5', apiKey: 'key-openrouter' },
  ],
  ['deepseek/deepseek-chat', { provider: 'deepseek', name: 'deepseek-chat', apiKey: 'key-deepseek' }],
  ['groq/openai/gpt-oss-120b', { provider: 'groq', name: 'openai/gpt-oss-120b', apiKey: 'key-groq' }],
  [
    'mistral/mistral-large-latest',
    { provider: 'mistral', name: 'mistral-large-latest', apiKey: 'key-mistral' },
  ],
])('A5 H4 a preset is named by its table, with its own key and no other: %s', (model, expected) => {
  expect(chosen(model, { environment: keys })).toEqual({ ...expected, source: 'flag' })
})

test.each(['openrouter', 'deepseek', 'groq', 'mistral'])(
  'A5 without its key, a preset’s error names the missing variable: %s',
  (name) => {
    const { [`${name.toUpperCase()}_API_KEY`]: _, ...others } = keys as Record<string, string>
    const { fault } = resolveModelChoice({ flags: { model: `${name}/x` }, environment: others })
    expect(fault).toMatchObject({
      kind: 'configuration',
      message: `${name}/x needs a key: set MUTSUMI_API_KEY or ${name.toUpperCase()}_API_KEY.`,
    })
  },
)

test.each(['openrouter', 'deepseek', 'groq', 'mistral', 'azure'])(
  'A5 A8 the key of a preset goes only to its own address, whatever address is set: %s',
  (name) => {
    const baseUrl = 'https://elsewhere.test/v1'
    const environment = { ...keys, AZURE_RESOURCE_NAME: 'mine' }
    const model = `${name}/x`
    const byFlag = resolveModelChoice({ flags: { model, baseUrl }, environment })
    expect(byFlag.fault?.message).toContain(`${baseUrl} is not ${name}'s own address, and `)
    const byProject = resolveModelChoice({ projectConfig: { model, baseUrl }, trusted: true, environment })
    expect(byProject.fault?.message).toContain('needs a key')
    const meant = chosen(model, {
      flags: { baseUrl },
      environment: { ...environment, MUTSUMI_API_KEY: 'meant' },
    })
    expect(meant).toMatchObject({ baseUrl, apiKey: 'meant' })
  },
)

test('A5 long model names of your own server work with openai-compatible', () => {
  const flags = { baseUrl: 'http://litellm.test/v1' }
  expect(chosen('openai-compatible/deepseek/deepseek-chat', { flags, environment: keys })).toEqual({
    provider: 'openai-compatible',
    name: 'deepseek/deepseek-chat',
    baseUrl: 'http://litellm.test/v1',
    source: 'flag',
  })
})

test('A5 a second model has its own preset’s address and key', () => {
  const main = chosen('deepseek/deepseek-chat', { environment: keys })
  const { choice } = resolveModelBeside(main, 'groq/small', { environment: keys })
  expect(choice).toMatchObject({ provider: 'groq', apiKey: 'key-groq' })
  expect(choice).not.toHaveProperty('baseUrl')
})

test.each([
  ['gpu', 'http://gpu:11434/v1'],
  ['gpu:8000', 'http://gpu:8000/v1'],
  [':8000', 'http://127.0.0.1:8000/v1'],
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['https://ollama.test/', 'https://ollama.test/v1'],
])('A5 Ollama is asked where OLLAMA_HOST says: %s', (host, baseUrl) => {
  expect(chosen('ollama/x', { environment: { OLLAMA_HOST: host } })).toMatchObject({ baseUrl })
})

test('A5 azure reports a missing resource, and accepts it in either form', () => {
  const azure = (environment: Record<string, string>) =>
    resolveModelChoice({ flags: { model: 'azure/my-gpt' }, environment: { ...keys, ...environment } })
  expect(azure({}).fault?.message).toMatch(
    /^azure\/my-gpt needs its resource: set AZURE_RESOURCE_NAME .* AZURE_OPENAI_ENDPOINT; AZURE_API_VERSION/,
  )
  expect(azure({ AZURE_RESOURCE_NAME: 'mine' }).choice).toMatchObject({
    baseUrl: 'https://mine.openai.azure.com/openai/v1',
    apiKey: 'key-azure',
  })
  const dated = { AZURE_OPENAI_ENDPOINT: 'https://mine.test/', AZURE_API_VERSION: '2024-10-21' }
  expect(azure(dated).choice).toMatchObject({
    baseUrl: 'https://mine.test/openai/deployments/my-gpt?api-version=2024-10-21',
  })
  const noKey = resolveModelChoice({
    flags: { model: 'azure/my-gpt' },
    environment: { AZURE_RESOURCE_NAME: 'mine' },
  })
  expect(noKey.fault?.message).toContain('set MUTSUMI_API_KEY or AZURE_API_KEY or AZURE_OPENAI_API_KEY')
})

async function asked(model: string, environment: Record<string, string>, baseUrl?: string) {
  const choice = chosen(model, { environment, ...(baseUrl === undefined ? {} : { flags: { baseUrl } }) })
  if (choice.provider === 'offline' || choice.provider === 'scripted') throw new Error('not a provider')
  return textIn(await ask(await openModel(choice)))
}

test('A5 azure gets its key in its own header, at the address of the deployment', async () => {
  const server = await wireServer(chat.reply({ texts: ['hi'] }))
  const environment = {
    AZURE_OPENAI_ENDPOINT: server.url,
    AZURE_API_VERSION: '2024-10-21',
    AZURE_API_KEY: 'key-azure',
  }
  expect(await asked('azure/my gpt', environment)).toBe('hi')
  const [request] = server.requests
  expect(request?.path).toBe('/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21')
  expect(request?.headers).toMatchObject({ 'api-key': 'key-azure' })
  expect(request?.headers).not.toHaveProperty('authorization')
})

test('A5 mistral is not asked for counts, because it refuses that and sends them anyway; others are asked', async () => {
  const server = await wireServer(chat.reply({ texts: ['hi'] }))
  const environment = { MUTSUMI_API_KEY: 'meant' }
  await asked('mistral/x', environment, `${server.url}/v1`)
  await asked('groq/x', environment, `${server.url}/v1`)
  expect(server.requests.map(({ body }) => 'stream_options' in JSON.parse(body))).toEqual([false, true])
  expect(server.requests[0]?.headers.authorization).toBe('Bearer meant')
})

test('A5 ollama is asked without a key', async () => {
  const server = await wireServer(chat.reply({ texts: ['hi'] }))
  expect(await asked('ollama/qwen3', { ...keys, OLLAMA_HOST: server.url })).toBe('hi')
  expect(server.requests[0]?.path).toBe('/v1/chat/completions')
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
})

test('A5 A8 presets list keys by name, and show no key, password or query', () => {
  const presets = listPresets({
    ...keys,
    OPENAI_BASE_URL: 'https://user:secret-password@proxy.test/v1?key=secret-query',
    AZURE_RESOURCE_NAME: 'mine',
  })
  const text = JSON.stringify(presets)
  expect(text).not.toMatch(/key-|secret/)
  expect(presets.find(({ name }) => name === 'groq')).toEqual({
    name: 'groq',
    example: 'groq/openai/gpt-oss-120b',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariables: ['GROQ_API_KEY'],
    needsKey: true,
    key: 'GROQ_API_KEY',
  })
  expect(presets.find(({ name }) => name === 'openai')?.baseUrl).toBe('https://proxy.test/v1')
  expect(listPresets({}).find(({ name }) => name === 'azure')?.missing).toMatch(
    /^its resource: .*; a key: set/,
  )
})
