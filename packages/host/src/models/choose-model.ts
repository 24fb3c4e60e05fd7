import { statSync } from 'node:fs'
import type { LocalServer, ModelChoice, ModelSettings, OpenModelOptions, ResolvedModel } from '@mutsumi/model'
import type { Model, Sampling } from '@mutsumi/schema'
import type { ConfigFiles } from '../config/config-files.js'
import type { ModelTimeouts } from '../config/settings.js'
import { UsageError } from '../ground/failure.js'
import { shellWord } from '../ground/shell-word.js'

export interface ModelFlags {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
}

export interface ModelNeeds {
  readonly trusted: boolean
  readonly sampling: Sampling
  /** `summary.model`; empty where the model that answers writes the summaries too. */
  readonly summary: string
  /** How long their servers are waited for. */
  readonly timeouts?: ModelTimeouts
  readonly environment?: NodeJS.ProcessEnv
}

export interface RunNeeds extends ModelNeeds {
  /** A program reads the answer: it must not take the offline model's for a real one. */
  readonly isForProgram: boolean
}

/** The models of a run, and a word about why they are these where the user may wonder. */
export interface ChosenModels {
  readonly model: Model
  readonly summaryModel?: Model
  readonly note?: string
  /** Why the offline model answers although nobody asked for it. */
  readonly offline?: OfflineReason
}

/** What a person can do about it. */
export interface OfflineReason {
  /** Variables for keys that are set, but empty. */
  readonly emptyKeys: readonly string[]
  /** A server on this machine, and the flags that ask it. */
  readonly server?: { readonly name: string; readonly flags: string }
}

/** By flag, environment, config; else a server on this machine that the user may mean; else the offline model. */
export async function chooseModels(
  flags: ModelFlags,
  config: ConfigFiles,
  needs: RunNeeds,
): Promise<ChosenModels> {
  const { environment = process.env } = needs
  const { emptyKeyVariables, findLocalServers } = await import('@mutsumi/model')
  const { model, summaryModel } = await configuredModels(flags, config, needs)
  if (!model && needs.isForProgram) throw new UsageError(noModel(emptyKeyVariables(environment)))
  const offline = model ? undefined : offlineReason(await findLocalServers(), emptyKeyVariables(environment))
  return {
    model: model ?? (await open(undefined, {})),
    ...(summaryModel && { summaryModel }),
    ...(offline && { offline, note: offlineText(offline) }),
  }
}

/** The models that flag, environment or config name; those that nobody names are absent. */
export async function configuredModels(
  { model, baseUrl }: ModelFlags,
  { user, project }: ConfigFiles,
  { trusted, summary, sampling, timeouts = {}, environment = process.env }: ModelNeeds,
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
  const beside = summary === '' ? undefined : choiceOf(resolveModelBeside(choice, summary.trim(), settings))
  return {
    ...(choice ? { model: await open(choice, { environment, timeouts }) } : {}),
    ...(beside ? { summaryModel: await open(beside, { environment, timeouts }) } : {}),
  }
}

const offlineAnswers = '--model offline answers without one.'

function choiceOf({ choice, fault }: ResolvedModel, hint = ''): ModelChoice | undefined {
  if (fault) throw new UsageError(fault.message.includes(hint) ? fault.message : `${fault.message} ${hint}`)
  return choice
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

/** A script is part of the command line: one that is not there is found before a round begins. */
function scriptOf(file: string): string {
  if (file.trim() === '') throw new UsageError('scripted: names no file; --model scripted:FILE plays one')
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`scripted:${file}: there is no such file; --model scripted:FILE plays a script`)
  return file
}

/** Nothing is configured: says which model answers, and whether one of this machine could. */
export function offlineNote(servers: readonly LocalServer[], emptyKeys: readonly string[] = []): string {
  return offlineText(offlineReason(servers, emptyKeys))
}

function offlineText({ emptyKeys, server }: OfflineReason): string {
  const offline = `No model is configured: the built-in offline model answers by searching and reading.${emptyText(emptyKeys)}`
  if (!server) return `${offline} --model provider/name or MUTSUMI_MODEL asks another.`
  return `${offline} ${server.name} runs here: ${server.flags} asks it.`
}

function offlineReason([server]: readonly LocalServer[], emptyKeys: readonly string[]): OfflineReason {
  const [model] = server?.models ?? []
  if (!server || !model) return { emptyKeys }
  // Whatever listens on that port chose the name; the user may copy it into a shell.
  const name = shellWord(`${server.provider}/${model.id}`)
  const where = server.provider === 'openai-compatible' ? ` --base-url ${server.baseUrl}` : ''
  return { emptyKeys, server: { name: server.name, flags: `--model ${name}${where}` } }
}
