import { factsOfModel, type ModelFacts } from '@mutsumi/schema'
import { knownContextWindow } from './choice/context-windows.js'
import type { ModelChoice, ProviderChoice } from './choice/resolve-model-choice.js'
import { createOfflineModel } from './offline/offline-model.js'
import { type ProviderName, providers } from './providers/providers.js'
import { openScriptedModel } from './scripted/scripted-model.js'

/** The facts about a model before it is opened. They need no key and load nothing of its provider. */
export async function modelFacts({ provider, ...choice }: ChosenName): Promise<ModelFacts> {
  switch (provider) {
    case 'offline':
      return factsOfModel(createOfflineModel())
    case 'scripted':
      return factsOfModel(await openScriptedModel(choice.name))
    default:
      return providerFacts({ provider, ...choice })
  }
}

/** How long a recorded model's provider keeps its prompt cache, by the model's full name; undefined if that is unknown. */
export function knownCacheMinutes(model: string): number | undefined {
  if (model === 'offline' || model.startsWith('scripted:')) return 0
  const [provider = ''] = model.split('/')
  return Object.hasOwn(providers, provider) ? providers[provider as ProviderName].cache?.minutes : undefined
}

type ChosenName = Pick<ModelChoice, 'provider' | 'name'> & Pick<ProviderChoice, 'contextWindow'>

export function providerFacts({
  provider,
  name,
  contextWindow = knownContextWindow(name),
}: Pick<ProviderChoice, 'provider' | 'name' | 'contextWindow'>): ModelFacts {
  return {
    name: `${provider}/${name}`,
    callsTools: providers[provider].callsTools === true,
    ...(providers[provider].cache && { cache: providers[provider].cache }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  }
}
