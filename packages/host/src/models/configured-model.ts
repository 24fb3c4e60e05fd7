import { defaultSettings, openTokenCounter, type TokenCounter } from '@mutsumi/context'
import type { ModelSettings } from '@mutsumi/model'
import type { Model, ModelRequest, ProviderRequest } from '@mutsumi/schema'
import type { RunSettings, SystemMessages } from '../config/settings.js'
import type { SettledRun } from '../config/settled-run.js'
import { UsageError } from '../ground/failure.js'
import { failureWords } from '../ground/failure-words.js'
import type { ModelFlags } from './choose-model.js'

/** Settings and token counter of the configured model, to count a request that is not sent. */
export interface AsConfigured {
  readonly settings: RunSettings
  readonly tokens: TokenCounter
}

export async function asConfigured(run: SettledRun, flags: ModelFlags = {}): Promise<AsConfigured> {
  const model = await configuredModel(run, flags)
  const settings = fitted(run, model)
  return { settings, tokens: await openTokenCounter(settings, model.name) }
}

/** Uses the context window that the model reports, at most the usual one, unless the user set another. A larger one costs more. */
export function fitted(
  { settings, given }: Pick<SettledRun, 'settings' | 'given'>,
  { contextWindow }: Pick<Model, 'contextWindow'>,
): RunSettings {
  if (given.has('contextWindow') || contextWindow === undefined) return settings
  return { ...settings, contextWindow: Math.min(contextWindow, defaultSettings.contextWindow) }
}

type ConfiguredRun = Pick<SettledRun, 'config' | 'trusted' | 'settings'>

/** The model that a run would ask, by flag, environment and config. It needs no key, and it cannot answer. */
export async function configuredModel(
  { config: { user, project }, trusted, settings: { systemMessages } }: ConfiguredRun,
  { model, baseUrl }: ModelFlags = {},
): Promise<Model> {
  const names = [model, process.env.MUTSUMI_MODEL, user.model, project.model]
  // A key alone chooses its provider's usual model.
  const hasKey = Object.keys(process.env).some((variable) => variable.endsWith('_API_KEY'))
  if (!hasKey && names.every((name) => name === undefined)) return offline
  const { modelFacts, namedModel } = await import('@mutsumi/model')
  const settings: ModelSettings = {
    flags: { ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }) },
    environment: process.env,
    userConfig: user,
    projectConfig: project,
    trusted,
  }
  const { named, fault } = namedModel(settings)
  if (fault) throw new UsageError(fault)
  if (!named) return offline
  if (named.provider === 'scripted') return (await import('./choose-model.js')).openScript(named.name)
  return {
    ...(await modelFacts(named)),
    stream: unasked,
    ...(named.provider !== 'offline' && {
      providerRequest: (request) => providerRequest(request, { settings, systemMessages }),
    }),
  }
}

/** Without a key the request is shown as if there were one. */
async function providerRequest(
  request: ModelRequest,
  { settings, systemMessages }: { readonly settings: ModelSettings; readonly systemMessages: SystemMessages },
): Promise<ProviderRequest> {
  const { openModel, resolveModelChoice } = await import('@mutsumi/model')
  const { choice, fault } = resolveModelChoice(settings)
  const shown =
    choice ?? resolveModelChoice({ ...settings, flags: { ...settings.flags, apiKey: '***' } }).choice
  if (!shown || shown.provider === 'offline' || shown.provider === 'scripted')
    throw new UsageError(fault ?? failureWords('nothing-configured'))
  return (await openModel(shown, { environment: process.env, systemMessages })).providerRequest(request)
}

function unasked(): never {
  throw new TypeError('this model only describes itself and cannot answer')
}

/** The built-in model's own description. Loading the model itself would slow the start down. */
const offline: Model = { name: 'offline', callsTools: false, cache: { minutes: 0 }, stream: unasked }
