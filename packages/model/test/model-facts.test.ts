import {
  createOfflineModel,
  listPresets,
  type ModelSettings,
  modelFacts,
  namedModel,
  openModel,
  resolveModelChoice,
} from '@mutsumi/model'
import { factsOfModel } from '@mutsumi/schema'
import { expect, test } from 'vitest'

test.each(listPresets({}).map(({ example }) => example))(
  'W4 the facts known about %s without a key equal those of the opened model',
  async (model) => {
    const { named } = namedModel({ flags: { model } })
    if (!named || named.provider === 'offline' || named.provider === 'scripted') throw new Error(model)
    const choice = { provider: named.provider, name: named.name, source: 'flag' } as const
    const access = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'key' }
    expect(await modelFacts(choice)).toEqual(factsOfModel(await openModel({ ...choice, ...access })))
  },
)

test('W4 the offline model is known by its name', async () => {
  const facts = factsOfModel(createOfflineModel())
  expect(facts).toMatchObject({ name: 'offline', callsTools: false })
  expect(await modelFacts({ provider: 'offline', name: 'offline' })).toEqual(facts)
})

test.each<[string, ModelSettings]>([
  ['by flag', { flags: { model: 'gpt-5' }, environment: { MUTSUMI_MODEL: 'google/g' } }],
  ['by environment', { environment: { MUTSUMI_MODEL: ' anthropic/claude-x ' } }],
  ['by a key alone', { environment: { GEMINI_API_KEY: 'key' } }],
  ['by its address', { flags: { model: 'mine', baseUrl: 'http://127.0.0.1:1/v1' } }],
  ['by a project that is not trusted', { projectConfig: { model: 'openai/x' } }],
  ['built in', { flags: { model: 'offline' } }],
  ['by a script', { flags: { model: 'scripted:a.json' } }],
])('W4 H4 the model that is named %s is asked', (_, settings) => {
  const key = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }
  const keyed = settings.environment?.GEMINI_API_KEY ? settings : withKeys(settings, key)
  const { choice } = resolveModelChoice(keyed)
  const { named } = namedModel(keyed)
  expect(named && [named.provider, named.name]).toEqual(choice && [choice.provider, choice.name])
})

test.each<[string, ModelSettings, RegExp]>([
  ['an empty name', { environment: { MUTSUMI_MODEL: '' } }, /MUTSUMI_MODEL is empty/],
  ['a name without a provider', { flags: { model: 'nobody' } }, /no known provider/],
  ['a name that is not a text', { userConfig: { model: 5 } }, /`model` \(user config\) must be a text/],
])('H4 %s is refused even if no model is asked', (_, settings, message) => {
  expect(namedModel(settings).fault?.message).toMatch(message)
})

function withKeys(settings: ModelSettings, keys: Record<string, string>): ModelSettings {
  return { ...settings, environment: { ...keys, ...settings.environment } }
}
