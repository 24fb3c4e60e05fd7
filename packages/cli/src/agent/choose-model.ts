import type { Model } from '@mutsumi/schema'
import { Failure, UsageError } from '../terminal/failure.js'
import type { ConfigFiles } from './config-files.js'

export interface ModelFlags {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
}

/** The model that answers, and a word about why it is this one where the user may wonder. */
export interface ChosenModel {
  readonly model: Model
  readonly note?: string
}

/** By flag, environment, config; else a server on this machine that the user may mean; else the offline model. */
export async function chooseModel(
  flags: ModelFlags,
  { user, project }: ConfigFiles,
  { trusted, environment = process.env }: { trusted: boolean; environment?: NodeJS.ProcessEnv },
): Promise<ChosenModel> {
  const models = await import('@mutsumi/model')
  const { choice, fault } = models.resolveModelChoice({
    flags: {
      ...(flags.model ? { model: flags.model } : {}),
      ...(flags.baseUrl ? { baseUrl: flags.baseUrl } : {}),
    },
    environment,
    userConfig: user,
    projectConfig: project,
    trusted,
  })
  if (fault) throw new UsageError(fault.message)
  if (!choice) return { model: models.createOfflineModel(), note: await offlineNote() }
  switch (choice.provider) {
    case 'offline':
      return { model: models.createOfflineModel() }
    case 'scripted':
      return { model: await models.openScriptedModel(choice.name) }
    case 'openai':
    case 'anthropic':
    case 'google':
    case 'openai-compatible':
      return { model: await models.openModel(choice, { environment }) }
    default:
      throw new Failure(`unknown provider ${choice satisfies never}`)
  }
}

/** Nothing is configured: says which model answers, and whether one of this machine could. */
async function offlineNote(): Promise<string> {
  const { findLocalServers } = await import('@mutsumi/model')
  const [server] = await findLocalServers()
  const [model] = server?.models ?? []
  const offline = 'No model is configured: the built-in offline model answers by searching and reading.'
  if (!server || !model) return `${offline} --model provider/name or MUTSUMI_MODEL asks another.`
  return `${offline} ${server.name} runs here: --model openai-compatible/${model.id} --base-url ${server.baseUrl} asks it.`
}
