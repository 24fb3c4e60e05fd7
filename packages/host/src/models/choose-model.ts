import { statSync } from 'node:fs'
import type { LocalServer, ModelChoice, ModelSettings, OpenModelOptions, ResolvedModel } from '@mutsumi/model'
import { type Model, type Phrase, phrase, type Sampling, type WordedMessage } from '@mutsumi/schema'
import type { ConfigFiles } from '../config/config-files.js'
import type { ModelTimeouts, SystemMessages } from '../config/settings.js'
import { UsageError } from '../ground/failure.js'
import { aboutPlace, failureWords } from '../ground/failure-words.js'
import { shellWord } from '../ground/shell-word.js'

export interface ModelFlags {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
}

export interface ModelNeeds {
  readonly trusted: boolean
  readonly sampling: Sampling
  /** `summary.model`. Empty if the model that answers writes the summaries too. */
  readonly summary: string
  /** Time limits for their servers. */
  readonly timeouts?: ModelTimeouts
  readonly systemMessages?: SystemMessages
  readonly environment?: NodeJS.ProcessEnv
}

export interface RunNeeds extends ModelNeeds {
  /** A program reads the answer, so the offline model must not answer by default. */
  readonly isForProgram: boolean
}

/** The models of a run, with the reason if the user might not expect them. */
export interface ChosenModels {
  readonly model: Model
  readonly summaryModel?: Model
  readonly note?: WordedMessage
  /** The reason why the offline model answers, if the user did not ask for it. */
  readonly offline?: OfflineReason
}

/** Facts that tell the user how to get another model. */
export interface OfflineReason {
  /** Variables for keys that are set but empty. */
  readonly emptyKeys: readonly string[]
  /** A server on this machine, and the flags that use it. */
  readonly server?: { readonly name: string; readonly flags: string }
}

/** Chooses models by flag, environment and config. If none is named, the offline model answers. */
export async function chooseModels(
  flags: ModelFlags,
  config: ConfigFiles,
  needs: RunNeeds,
): Promise<ChosenModels> {
  const { environment = process.env } = needs
  const { emptyKeyVariables, findLocalServers } = await import('@mutsumi/model')
  const { model, summaryModel } = await configuredModels(flags, config, needs)
  const summary = summaryModel && { summaryModel }
  if (model) return { model, ...summary }
  const emptyKeys = emptyKeyVariables(environment)
  if (needs.isForProgram) throw new UsageError(failureWords('no-model', emptyText(emptyKeys)))
  const servers = await findLocalServers()
  return {
    model: await open(undefined, {}),
    ...summary,
    offline: offlineReason(servers, emptyKeys),
    note: offlineNote(servers, emptyKeys),
  }
}

/** The models that a flag, the environment or a config names. Others are absent. */
export async function configuredModels(
  { model, baseUrl }: ModelFlags,
  { user, project }: ConfigFiles,
  {
    trusted,
    summary,
    sampling,
    timeouts = {},
    systemMessages = 'auto',
    environment = process.env,
  }: ModelNeeds,
): Promise<Partial<Pick<ChosenModels, 'model' | 'summaryModel'>>> {
  const { resolveModelBeside, resolveModelChoice } = await import('@mutsumi/model')
  const settings: ModelSettings = {
    flags: { ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }) },
    environment,
    userConfig: user,
    projectConfig: project,
    trusted,
  }
  const choice = mainChoiceOf(resolveModelChoice(settings))
  if (choice) await checkEffort(choice, sampling)
  const options = { environment, timeouts, systemMessages }
  const beside = summary === '' ? undefined : choiceOf(resolveModelBeside(choice, summary.trim(), settings))
  return {
    ...(choice ? { model: await open(choice, options) } : {}),
    ...(beside ? { summaryModel: await open(beside, options) } : {}),
  }
}

/** The model that answers may be the offline one, so the failure says that. */
function mainChoiceOf(resolved: ResolvedModel): ModelChoice | undefined {
  const { fault } = resolved
  if (!fault || fault.message.includes('--model offline')) return choiceOf(resolved)
  const { message } = failureWords('with-offline', fault.message)
  throw new UsageError({ message, phrase: phrase('with-offline', fault.phrase ?? fault.message) })
}

function choiceOf({ choice, fault }: ResolvedModel): ModelChoice | undefined {
  if (fault) throw new UsageError(fault)
  return choice
}

/** A secret that was not passed on often arrives as an empty variable. */
function emptyText(keys: readonly string[]): string | Phrase {
  return keys.length === 0 ? '' : phrase(keys.length > 1 ? 'empty-keys' : 'empty-key', keys.join(', '))
}

async function checkEffort({ provider }: ModelChoice, { reasoningEffort }: Sampling): Promise<void> {
  if (reasoningEffort === undefined || provider === 'offline' || provider === 'scripted') return
  const { effortProblem } = await import('@mutsumi/model')
  const problem = effortProblem(provider, reasoningEffort)
  if (problem) throw new UsageError(aboutPlace('reasoningEffort', problem))
}

async function open(choice: ModelChoice | undefined, options: OpenModelOptions): Promise<Model> {
  const models = await import('@mutsumi/model')
  if (!choice) return models.createOfflineModel()
  switch (choice.provider) {
    case 'offline':
      return models.createOfflineModel()
    case 'scripted':
      return openScript(choice.name)
    default:
      return models.openModel(choice, options)
  }
}

export async function openScript(name: string): Promise<Model> {
  return (await import('@mutsumi/model')).openScriptedModel(scriptOf(name))
}

/** A script is part of the command line, so a missing one is reported before a round begins. */
function scriptOf(file: string): string {
  if (file.trim() === '') throw new UsageError(failureWords('script-unnamed'))
  const problem = scriptProblem(file)
  if (problem) throw new UsageError(problem)
  return file
}

function scriptProblem(file: string): WordedMessage | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return failureWords('script-missing', file)
  return stats.isFile() ? undefined : failureWords('script-irregular', file)
}

/** The note if no model is configured: the offline model answers, and a model on this machine could. */
export function offlineNote(
  servers: readonly LocalServer[],
  emptyKeys: readonly string[] = [],
): WordedMessage {
  const { server } = offlineReason(servers, emptyKeys)
  const way = server ? phrase('server-here', server.name, server.flags) : phrase('name-another')
  return failureWords('offline-answers', emptyText(emptyKeys), way)
}

function offlineReason([server]: readonly LocalServer[], emptyKeys: readonly string[]): OfflineReason {
  const [model] = server?.models ?? []
  if (!server || !model) return { emptyKeys }
  // The server on that port chose the name, and the user may copy it into a shell.
  const name = shellWord(`${server.provider}/${model.id}`)
  const where = server.provider === 'openai-compatible' ? ` --base-url ${server.baseUrl}` : ''
  return { emptyKeys, server: { name: server.name, flags: `--model ${name}${where}` } }
}
