import { statSync } from 'node:fs'
import type { LocalServer, ModelChoice, ModelSettings, OpenModelOptions, ResolvedModel } from '@mutsumi/model'
import { type Model, phrase, type Sampling } from '@mutsumi/schema'
import type { ConfigFiles } from '../config/config-files.js'
import type { ModelTimeouts, SystemMessages } from '../config/settings.js'
import { UsageError } from '../ground/failure.js'
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
  readonly note?: string
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
  if (needs.isForProgram) throw new UsageError(noModel(emptyKeys))
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
  const choice = choiceOf(resolveModelChoice(settings), offlineAnswers)
  if (choice) await checkEffort(choice, sampling)
  const options = { environment, timeouts, systemMessages }
  const beside = summary === '' ? undefined : choiceOf(resolveModelBeside(choice, summary.trim(), settings))
  return {
    ...(choice ? { model: await open(choice, options) } : {}),
    ...(beside ? { summaryModel: await open(beside, options) } : {}),
  }
}

const offlineAnswers = '--model offline answers without one.'

function choiceOf({ choice, fault }: ResolvedModel, hint = ''): ModelChoice | undefined {
  if (!fault) return choice
  const { message, phrase: said } = fault
  if (message.includes(hint)) throw new UsageError(message, { ...(said && { phrase: said }) })
  throw new UsageError(`${message} ${hint}`, { ...(said && { phrase: phrase('or-offline', said) }) })
}

function noModel(emptyKeys: readonly string[]): string {
  const ways = '--model provider/name, MUTSUMI_MODEL, "model" in a config, or the key of a provider'
  return `no model is configured: ${ways}.${emptyText(emptyKeys)} ${offlineAnswers}`
}

/** A secret that was not passed on often arrives as an empty variable. */
function emptyText([first, ...more]: readonly string[]): string {
  if (first === undefined) return ''
  return ` ${[first, ...more].join(', ')} ${more.length > 0 ? 'are' : 'is'} set, but empty.`
}

async function checkEffort({ provider }: ModelChoice, { reasoningEffort }: Sampling): Promise<void> {
  if (reasoningEffort === undefined || provider === 'offline' || provider === 'scripted') return
  const { effortProblem } = await import('@mutsumi/model')
  const problem = effortProblem(provider, reasoningEffort)
  if (problem) throw new UsageError(`reasoningEffort: ${problem}`)
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
  if (file.trim() === '') throw new UsageError('scripted: needs a file: --model scripted:FILE')
  const problem = scriptProblem(file)
  if (problem) throw new UsageError(`scripted:${file}: ${problem}. --model scripted:FILE plays a script`)
  return file
}

function scriptProblem(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return 'there is no such file'
  return stats.isFile() ? undefined : 'it is not a regular file'
}

/** The note if no model is configured: the offline model answers, and a model on this machine could. */
export function offlineNote(servers: readonly LocalServer[], emptyKeys: readonly string[] = []): string {
  const { server } = offlineReason(servers, emptyKeys)
  const offline = `No model is configured: the built-in offline model answers by searching and reading.${emptyText(emptyKeys)}`
  if (!server) return `${offline} To use another: --model provider/name or MUTSUMI_MODEL.`
  return `${offline} ${server.name} runs on this machine. To use it: ${server.flags}`
}

function offlineReason([server]: readonly LocalServer[], emptyKeys: readonly string[]): OfflineReason {
  const [model] = server?.models ?? []
  if (!server || !model) return { emptyKeys }
  // The server on that port chose the name, and the user may copy it into a shell.
  const name = shellWord(`${server.provider}/${model.id}`)
  const where = server.provider === 'openai-compatible' ? ` --base-url ${server.baseUrl}` : ''
  return { emptyKeys, server: { name: server.name, flags: `--model ${name}${where}` } }
}
