import { openTokenCounter, type TokenCounter } from '@mutsumi/context'
import type { SettledRun } from './run-settings.js'
import type { RunSettings } from './settings.js'

/** How a request is counted that no model is asked for: as the one that would be asked counts it. */
export interface AsConfigured {
  readonly settings: RunSettings
  readonly tokens: TokenCounter
}

/** `model` is the flag's; else what the environment and the config name. A preview needs no key. */
export async function asConfigured(run: SettledRun, model?: string): Promise<AsConfigured> {
  const { settings, given } = run
  const name = await modelName(run, model)
  const contextWindow = given.has('contextWindow') ? undefined : await windowOf(name)
  const fitted = contextWindow === undefined ? settings : { ...settings, contextWindow }
  return { settings: fitted, tokens: await openTokenCounter(fitted, name) }
}

async function modelName(
  { config: { user, project }, trusted }: SettledRun,
  model?: string,
): Promise<string> {
  const named = [model, process.env.MUTSUMI_MODEL, user.model, project.model]
  const name = named.find((each) => typeof each === 'string' && each.trim() !== '')
  if (name !== undefined) return String(name).trim()
  // A key alone chooses its provider's usual model.
  if (!Object.keys(process.env).some((variable) => variable.endsWith('_API_KEY'))) return ''
  const { resolveModelChoice } = await import('@mutsumi/model')
  const { choice } = resolveModelChoice({
    environment: process.env,
    userConfig: user,
    projectConfig: project,
    trusted,
  })
  return choice ? `${choice.provider}/${choice.name}` : ''
}

async function windowOf(name: string): Promise<number | undefined> {
  if (name === '') return undefined
  const { knownContextWindow } = await import('@mutsumi/model')
  return knownContextWindow(name.slice(name.indexOf('/') + 1))
}
