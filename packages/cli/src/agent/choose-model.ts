import type { LocalServer, ModelChoice, ModelSettings, ResolvedModel } from '@mutsumi/model'
import type { Model } from '@mutsumi/schema'
import { Failure, UsageError } from '../terminal/failure.js'
import { shellWord } from '../terminal/shell-word.js'
import type { ConfigFiles } from './config-files.js'

export interface ModelFlags {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
}

export interface ModelNeeds {
  readonly trusted: boolean
  /** `summary.model`; empty where the model that answers writes the summaries too. */
  readonly summary: string
  readonly environment?: NodeJS.ProcessEnv
}

/** The models of a run, and a word about why they are these where the user may wonder. */
export interface ChosenModels {
  readonly model: Model
  readonly summaryModel?: Model
  readonly note?: string
}

/** By flag, environment, config; else a server on this machine that the user may mean; else the offline model. */
export async function chooseModels(
  { model, baseUrl }: ModelFlags,
  { user, project }: ConfigFiles,
  { trusted, summary, environment = process.env }: ModelNeeds,
): Promise<ChosenModels> {
  const { findLocalServers, resolveModelBeside, resolveModelChoice } = await import('@mutsumi/model')
  const settings: ModelSettings = {
    flags: { ...(model ? { model } : {}), ...(baseUrl ? { baseUrl } : {}) },
    environment,
    userConfig: user,
    projectConfig: project,
    trusted,
  }
  const choice = choiceOf(resolveModelChoice(settings))
  const beside = summary === '' ? undefined : choiceOf(resolveModelBeside(choice, summary.trim(), settings))
  return {
    model: await open(choice, environment),
    ...(beside ? { summaryModel: await open(beside, environment) } : {}),
    ...(choice ? {} : { note: offlineNote(await findLocalServers()) }),
  }
}

function choiceOf({ choice, fault }: ResolvedModel): ModelChoice | undefined {
  if (fault) throw new UsageError(fault.message)
  return choice
}

async function open(choice: ModelChoice | undefined, environment: NodeJS.ProcessEnv): Promise<Model> {
  const models = await import('@mutsumi/model')
  if (!choice) return models.createOfflineModel()
  switch (choice.provider) {
    case 'offline':
      return models.createOfflineModel()
    case 'scripted':
      return models.openScriptedModel(choice.name)
    case 'openai':
    case 'anthropic':
    case 'google':
    case 'openai-compatible':
      return models.openModel(choice, { environment })
    default:
      throw new Failure(`unknown provider ${choice satisfies never}`)
  }
}

/** Nothing is configured: says which model answers, and whether one of this machine could. */
export function offlineNote([server]: readonly LocalServer[]): string {
  const [model] = server?.models ?? []
  const offline = 'No model is configured: the built-in offline model answers by searching and reading.'
  if (!server || !model) return `${offline} --model provider/name or MUTSUMI_MODEL asks another.`
  // Whatever listens on that port chose the name; the user may copy it into a shell.
  const name = shellWord(`openai-compatible/${model.id}`)
  return `${offline} ${server.name} runs here: --model ${name} --base-url ${server.baseUrl} asks it.`
}
