import { openTokenCounter, type TokenCounter } from '@mutsumi/context'
import type { Model } from '@mutsumi/schema'
import type { RunSettings } from '../config/settings.js'
import type { SettledRun } from '../config/settled-run.js'
import { UsageError } from '../ground/failure.js'
import type { ModelFlags } from './choose-model.js'

/** How a request is counted that no model is asked for: as the one that would be asked counts it. */
export interface AsConfigured {
  readonly settings: RunSettings
  readonly tokens: TokenCounter
}

export async function asConfigured(run: SettledRun, flags: ModelFlags = {}): Promise<AsConfigured> {
  const model = await configuredModel(run, flags)
  const settings = fitted(run, model)
  return { settings, tokens: await openTokenCounter(settings, model.name) }
}

/** A model that tells how much it takes is believed, unless the user said something else. */
export function fitted(
  { settings, given }: Pick<SettledRun, 'settings' | 'given'>,
  { contextWindow }: Pick<Model, 'contextWindow'>,
): RunSettings {
  return given.has('contextWindow') || contextWindow === undefined ? settings : { ...settings, contextWindow }
}

/** The model that a run would ask, by flag, environment and config. No key is needed, and it answers nothing. */
export async function configuredModel(
  { config: { user, project }, trusted }: Pick<SettledRun, 'config' | 'trusted'>,
  { model, baseUrl }: ModelFlags = {},
): Promise<Model> {
  const names = [model, process.env.MUTSUMI_MODEL, user.model, project.model]
  // A key alone chooses its provider's usual model.
  const hasKey = Object.keys(process.env).some((variable) => variable.endsWith('_API_KEY'))
  if (!hasKey && names.every((name) => name === undefined)) return offline
  const { modelFacts, namedModel } = await import('@mutsumi/model')
  const { named, fault } = namedModel({
    flags: { ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }) },
    environment: process.env,
    userConfig: user,
    projectConfig: project,
    trusted,
  })
  if (fault) throw new UsageError(fault.message)
  if (!named) return offline
  if (named.provider === 'scripted') return (await import('./choose-model.js')).openScript(named.name)
  return { ...(await modelFacts(named)), stream: unasked }
}

function unasked(): never {
  throw new TypeError('nobody asks this model')
}

/** As the built-in model describes itself; loading it would cost start-up for nothing. */
const offline: Model = { name: 'offline', callsTools: false, cache: { minutes: 0 }, stream: unasked }
