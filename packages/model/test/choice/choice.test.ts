import { findLocalServers, type ModelSettings, resolveModelBeside, resolveModelChoice } from '@mutsumi/model'
import { describe, expect, it } from 'vitest'
import { ask, modelAt, textIn } from '../support/asking.js'
import { chat } from '../support/dialects.js'
import { failure, wireServer } from '../support/wire-server.js'

const ollama = 'http://127.0.0.1:11434/v1'

function chosen(settings: ModelSettings) {
  const resolved = resolveModelChoice(settings)
  if (!resolved.choice) throw new Error(`nothing chosen: ${resolved.fault?.message}`)
  return resolved.choice
}

function refused(settings: ModelSettings): string {
  const resolved = resolveModelChoice(settings)
  expect(resolved.fault?.kind).toBe('configuration')
  return resolved.fault?.message ?? ''
}

describe('the choice of the model', () => {
  it('H4 a flag overrides the environment, which overrides the user config, which overrides the project', () => {
    const key = { OPENAI_API_KEY: 'sk-openai-1', ANTHROPIC_API_KEY: 'sk-ant-1' }
    const layers: ModelSettings = {
      flags: { model: 'openai/by-flag' },
      environment: { ...key, MUTSUMI_MODEL: 'openai/by-environment' },
      userConfig: { model: 'openai/by-user' },
      projectConfig: { model: 'openai/by-project' },
      trusted: true,
    }
    expect(chosen(layers)).toMatchObject({ name: 'by-flag', source: 'flag' })
    expect(chosen({ ...layers, flags: {} })).toMatchObject({ name: 'by-environment', source: 'environment' })
    const quiet = { ...layers, flags: {}, environment: key }
    expect(chosen(quiet)).toMatchObject({ name: 'by-user', source: 'user config' })
    expect(chosen({ ...quiet, userConfig: {} })).toMatchObject({
      name: 'by-project',
      source: 'project config',
    })
  })

  it('H4 a project that is not trusted chooses nothing: no model, no address, no key', () => {
    const projectConfig = {
      model: 'openai-compatible/evil',
      baseUrl: 'http://evil.test/v1',
      apiKey: 'planted-key',
    }
    expect(resolveModelChoice({ projectConfig })).toEqual({})
    expect(resolveModelChoice({ projectConfig, trusted: false })).toEqual({})
    expect(chosen({ projectConfig, trusted: true })).toMatchObject({ name: 'evil' })
    const flags = { model: 'openai-compatible/mine' }
    expect(refused({ flags, projectConfig })).toContain('--base-url')
  })

  it('H4 if nothing is configured, nothing is chosen', () => {
    expect(resolveModelChoice({})).toEqual({})
    expect(resolveModelChoice({ environment: { OPENAI_API_KEY: '', MUTSUMI_API_KEY: ' ' } })).toEqual({})
  })

  it('A6 an empty name, or a key without a provider, is a fault', () => {
    const message = (settings: ModelSettings) => resolveModelChoice(settings).fault?.message
    expect(message({ environment: { MUTSUMI_MODEL: ' ' } })).toContain('MUTSUMI_MODEL is empty')
    expect(message({ flags: { model: '' }, environment: { OPENAI_API_KEY: 'sk-1' } })).toContain(
      '--model is empty',
    )
    expect(message({ environment: { MUTSUMI_API_KEY: 'k-1' } })).toContain('A key is set (environment)')
    expect(chosen({ flags: { model: 'offline' }, environment: { MUTSUMI_MODEL: '' } })).toMatchObject({
      provider: 'offline',
    })
  })

  it('H4 a key alone chooses its provider', () => {
    expect(chosen({ environment: { ANTHROPIC_API_KEY: 'sk-ant-1' } })).toMatchObject({
      provider: 'anthropic',
      apiKey: 'sk-ant-1',
      source: 'environment',
    })
    expect(chosen({ environment: { OPENAI_API_KEY: 'sk-o-1' } })).toMatchObject({ provider: 'openai' })
    expect(chosen({ environment: { GEMINI_API_KEY: 'g-1' } })).toMatchObject({ provider: 'google' })
    expect(chosen({ environment: { GOOGLE_GENERATIVE_AI_API_KEY: 'g-1' } })).toMatchObject({
      provider: 'google',
    })
  })

  it('H4 the key of one provider is never given to another', () => {
    const environment = { OPENAI_API_KEY: 'sk-openai-1' }
    expect(refused({ environment, flags: { model: 'anthropic/claude-x' } })).toContain('ANTHROPIC_API_KEY')
    const own = chosen({ environment, flags: { model: 'openai-compatible/llama', baseUrl: ollama } })
    expect(own).not.toHaveProperty('apiKey')
  })

  it('H4 MUTSUMI_API_KEY is for the chosen model', () => {
    const environment = { MUTSUMI_API_KEY: 'mine-1', OPENAI_API_KEY: 'sk-openai-1' }
    expect(chosen({ environment, flags: { model: 'openai/x' } })).toMatchObject({ apiKey: 'mine-1' })
    const flags = { model: 'openai-compatible/x', baseUrl: 'https://my.server/v1' }
    expect(chosen({ environment, flags })).toMatchObject({
      apiKey: 'mine-1',
      baseUrl: 'https://my.server/v1',
    })
  })

  it('H4 an address that was set for another model does not get the key of this one', () => {
    const environment = { MUTSUMI_BASE_URL: ollama, ANTHROPIC_API_KEY: 'sk-ant-1' }
    expect(chosen({ environment, flags: { model: 'anthropic/claude-x' } })).not.toHaveProperty('baseUrl')
    expect(chosen({ environment, flags: { model: 'openai-compatible/x' } })).toMatchObject({
      baseUrl: ollama,
    })
    expect(
      chosen({ environment, flags: { model: 'anthropic/claude-x', baseUrl: 'http://[::1]:1' } }),
    ).toMatchObject({
      baseUrl: 'http://[::1]:1',
    })
  })

  it('H4 a name needs no provider if the provider is clear', () => {
    const environment = { OPENAI_API_KEY: 'a-1', ANTHROPIC_API_KEY: 'b-1', GEMINI_API_KEY: 'c-1' }
    const provider = (model: string) => chosen({ environment, flags: { model } }).provider
    expect(provider('claude-sonnet-5')).toBe('anthropic')
    expect(provider('gpt-5.5')).toBe('openai')
    expect(provider('gemini-2.5-pro')).toBe('google')
    expect(chosen({ flags: { model: 'qwen/qwen3:8b', baseUrl: ollama } })).toMatchObject({
      provider: 'openai-compatible',
      name: 'qwen/qwen3:8b',
    })
    expect(chosen({ flags: { model: 'offline' } })).toMatchObject({ provider: 'offline' })
    expect(chosen({ flags: { model: 'scripted:a/b.json' } })).toMatchObject({
      provider: 'scripted',
      name: 'a/b.json',
    })
  })

  it('H4 for an invalid value, the error names its source and the expected value', () => {
    expect(refused({ flags: { model: 'nobody/x' } })).toContain('openai-compatible')
    expect(refused({ flags: { model: 'openai/' } })).toContain('no name')
    expect(refused({ userConfig: { model: 7 } })).toContain('`model` (user config)')
    expect(refused({ environment: { MUTSUMI_BASE_URL: 'localhost:11434' } })).toContain(
      '`baseUrl` (environment)',
    )
    expect(refused({ flags: { baseUrl: ollama } })).toContain('--model openai-compatible/NAME')
    expect(refused({ flags: { model: 'openai/x' } })).toContain('MUTSUMI_API_KEY or OPENAI_API_KEY')
    expect(refused({ flags: { contextWindow: -1 } })).toContain('contextWindow')
    const bad = refused({ environment: { MUTSUMI_API_KEY: 'my key\nsecond' }, flags: { model: 'openai/x' } })
    expect(bad).toContain('apiKey')
    expect(bad).not.toContain('second')
  })

  it('H4 a model’s window can be set', () => {
    const flags = { model: 'openai-compatible/x', baseUrl: ollama, contextWindow: 8192 }
    expect(chosen({ flags })).toMatchObject({ contextWindow: 8192 })
  })
})

describe('who gets a key and an address', () => {
  const other = 'http://other.test/v1'

  it('H4 a key in a file goes only to the provider and the address in the same file', () => {
    const openai = { model: 'openai/gpt-5', apiKey: 'K' }
    const own = { model: 'openai-compatible/own', baseUrl: other }
    expect(chosen({ userConfig: openai })).toMatchObject({ apiKey: 'K' })
    expect(chosen({ userConfig: openai, flags: { model: 'openai/gpt-6' } })).toMatchObject({ apiKey: 'K' })
    expect(chosen({ userConfig: openai, flags: own })).not.toHaveProperty('apiKey')
    const anthropic = { userConfig: openai, flags: { model: 'anthropic/x' } }
    expect(refused(anthropic)).toContain('The key that is set (user config) is for another model or address')
    const server = { model: 'openai-compatible/a', baseUrl: ollama, apiKey: 'K' }
    expect(chosen({ userConfig: server, flags: { model: 'openai-compatible/b' } })).toMatchObject({
      baseUrl: ollama,
      apiKey: 'K',
    })
    expect(chosen({ userConfig: server, flags: own })).not.toHaveProperty('apiKey')
    expect(chosen({ userConfig: server, flags: { baseUrl: other } })).not.toHaveProperty('apiKey')
    const addressed = { baseUrl: ollama, apiKey: 'K' }
    const there = { model: 'openai-compatible/x' }
    expect(chosen({ userConfig: addressed, flags: there })).toMatchObject({ apiKey: 'K' })
    expect(chosen({ userConfig: { apiKey: 'K' }, flags: own })).not.toHaveProperty('apiKey')
  })

  it('H4 the environment’s key goes only to the model and the address of the environment', () => {
    const environment = {
      MUTSUMI_MODEL: 'openai-compatible/own',
      MUTSUMI_BASE_URL: ollama,
      MUTSUMI_API_KEY: 'mine',
    }
    expect(chosen({ environment })).toMatchObject({ apiKey: 'mine' })
    const openai = { ...environment, OPENAI_API_KEY: 'sk-openai-1' }
    expect(chosen({ environment: openai, flags: { model: 'openai/x' } })).toMatchObject({
      apiKey: 'sk-openai-1',
    })
    const elsewhere = { model: 'openai-compatible/x', baseUrl: other }
    expect(chosen({ environment, flags: elsewhere })).not.toHaveProperty('apiKey')
  })

  it('H4 an address that only a project names gets the project’s own key, and none of the user’s', () => {
    const project = (projectConfig: object) => ({ projectConfig, trusted: true })
    const mine = { model: 'openai-compatible/x', apiKey: 'K' }
    const asked = chosen({ userConfig: mine, ...project({ baseUrl: other }) })
    expect(asked).toMatchObject({ baseUrl: other })
    expect(asked).not.toHaveProperty('apiKey')
    const theirs = { model: 'openai-compatible/x', baseUrl: other }
    const environment = { MUTSUMI_API_KEY: 'mine', OPENAI_API_KEY: 'sk-openai-1' }
    expect(chosen({ environment, ...project(theirs) })).not.toHaveProperty('apiKey')
    expect(chosen({ environment, ...project({ ...theirs, apiKey: 'P' }) })).toMatchObject({ apiKey: 'P' })
    const openai = { environment, ...project({ model: 'openai/gpt-5', baseUrl: other }) }
    expect(refused(openai)).toContain(
      'gets none of your keys. To use a key there, give the address yourself with --base-url',
    )
    expect(chosen({ ...openai, flags: { baseUrl: other } })).toMatchObject({ apiKey: 'mine' })
    const usual = project({ model: 'openai/gpt-5', baseUrl: 'https://api.openai.com/v1' })
    expect(chosen({ environment, ...usual })).toMatchObject({ apiKey: 'mine' })
    expect(chosen({ environment, userConfig: theirs })).toMatchObject({ apiKey: 'mine' })
  })

  it('H4 an address that a file names for another provider’s model is not asked', () => {
    const userConfig = { model: 'anthropic/x', baseUrl: 'https://proxy.test' }
    expect(refused({ userConfig, flags: { model: 'openai-compatible/y' } })).toContain('--base-url')
  })
})

describe('a model beside the one that answers', () => {
  function beside(model: string, settings: ModelSettings) {
    const resolved = resolveModelBeside(resolveModelChoice(settings).choice, model, settings)
    return resolved.choice ?? resolved.fault?.message
  }

  const flags = { model: 'openai-compatible/mm', baseUrl: 'http://own.test/v1' }

  it('H4 of another provider gets neither the address nor the key of the first', () => {
    const environment = { ANTHROPIC_API_KEY: 'sk-ant-1', MUTSUMI_API_KEY: 'mine' }
    expect(beside('anthropic/claude-x', { flags, environment })).toEqual({
      provider: 'anthropic',
      name: 'claude-x',
      apiKey: 'sk-ant-1',
      source: 'flag',
    })
    expect(beside('openai/x', { flags, environment })).toContain('needs a key: set OPENAI_API_KEY.')
    const main = { flags: { model: 'anthropic/x', baseUrl: 'http://own.test/v1' }, environment }
    expect(beside('openai-compatible/small', main)).toContain('--base-url')
  })

  it('H4 of another provider uses the settings of the file that names that provider', () => {
    const userConfig = { model: 'anthropic/claude-x', baseUrl: 'https://proxy.test', apiKey: 'K' }
    const environment = { MUTSUMI_API_KEY: 'mine' }
    expect(beside('anthropic/claude-y', { flags, environment, userConfig })).toMatchObject({
      baseUrl: 'https://proxy.test',
      apiKey: 'K',
    })
    const server = { baseUrl: ollama, apiKey: 'K' }
    const main = { flags: { model: 'anthropic/x' }, environment: { ANTHROPIC_API_KEY: 'sk-ant-1' } }
    expect(beside('openai-compatible/small', { ...main, userConfig: server })).toMatchObject(server)
  })

  it('H4 of the same provider uses the same address and key', () => {
    const environment = { MUTSUMI_API_KEY: 'mine' }
    expect(beside('openai-compatible/small', { flags, environment })).toMatchObject({
      name: 'small',
      baseUrl: flags.baseUrl,
      apiKey: 'mine',
    })
  })

  it('H4 of another provider sends no key of the user to an address that only a project names', () => {
    const settings: ModelSettings = {
      environment: { ANTHROPIC_API_KEY: 'sk-ant-1', OPENAI_API_KEY: 'sk-openai-1' },
      userConfig: { model: 'anthropic/x' },
      projectConfig: { model: 'openai/gpt-5', baseUrl: 'http://other.test/v1' },
      trusted: true,
    }
    const beside = resolveModelBeside(chosen(settings), 'openai/gpt-5-mini', settings)
    expect(beside.fault?.message).toContain('gets none of your keys')
  })

  it('H4 gets the environment’s key if the first one needs none', () => {
    const environment = { MUTSUMI_API_KEY: 'mine' }
    expect(beside('openai/x', { flags: { model: 'offline' }, environment })).toMatchObject({ apiKey: 'mine' })
    expect(beside('offline', { flags, environment })).toMatchObject({ provider: 'offline' })
    expect(beside('scripted:a.json', { flags })).toMatchObject({ provider: 'scripted', name: 'a.json' })
  })
})

describe('local servers', () => {
  it('A6 those that run are found with their models, and can be asked', async () => {
    const list = {
      object: 'list',
      data: [{ id: 'qwen3:8b' }, { id: 'nomic-embed-text' }, { id: 'big', max_model_len: 4096 }],
    }
    const ollamaServer = await wireServer(failure(200, list), chat.reply({ texts: ['hi'] }))
    const other = await wireServer(failure(200, { some: 'thing else' }))
    const broken = await wireServer(failure(500, {}))
    const silent = await wireServer({ silent: true, steps: [] })
    const ports = [
      { name: 'Ollama', port: ollamaServer.port },
      { name: 'LM Studio', port: other.port },
      { name: 'a', port: broken.port },
      { name: 'b', port: silent.port },
      { name: 'nobody', port: 1 },
    ]
    // The silent server never answers: if it were waited for, this test would run into its own time limit.
    const found = await findLocalServers({ ports, timeoutMs: 1000 })
    expect(found).toEqual([
      {
        name: 'Ollama',
        provider: 'openai-compatible',
        baseUrl: `${ollamaServer.url}/v1`,
        models: [{ id: 'qwen3:8b' }, { id: 'big', contextWindow: 4096 }],
      },
    ])
    expect(textIn(await ask(await modelAt(ollamaServer)))).toBe('hi')
  })
})
