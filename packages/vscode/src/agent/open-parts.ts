import {
  type Assignment,
  checkConfigFolder,
  chooseModels,
  givenSettings,
  openOwnTools,
  readConfigFiles,
  type SettledRun,
  settledRun,
  type ToolboxOptions,
  withServers,
} from '@mutsumi/host'
import { factsOfModel, type Model } from '@mutsumi/schema'
import type { PermissionGateOptions } from '@mutsumi/tools'
import { settleKilled } from '@mutsumi/tools/parts'
import { editorPlace } from './folder-trust.js'
import { modelUnavailable } from './model-unavailable.js'
import type { AgentParts } from './run-cell.js'

/** The editor's settings for a run. */
export interface EditorRun {
  readonly root: string
  /** The editor trusts the workspace. What the folder brings takes effect only if the user's own list has it too. */
  readonly trusted: boolean
  /** Further folders of the workspace. */
  readonly folders: readonly string[]
  /** Settings of the user, and those in the project's folder. */
  readonly user: readonly Assignment[]
  readonly project: readonly Assignment[]
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  /** A model of the editor itself. */
  readonly offered?: Model | undefined
  /** Why the editor does not offer the model of the settings. */
  readonly notOffered?: Error | undefined
  /** The environment, with the keys that the editor stores. */
  readonly environment: NodeJS.ProcessEnv
  readonly ask: NonNullable<PermissionGateOptions['ask']>
  readonly note: (message: string) => void
  readonly stop: AbortSignal
}

/** Settings, tools and model of a workspace folder, as the editor has them. Starts no server and no other process. */
export async function openParts(editor: EditorRun): Promise<AgentParts> {
  const { root, folders, note } = editor
  checkConfigFolder(root)
  // Before anything of the folder is read.
  for (const { message } of await settleKilled(root)) note(message)
  const place = { ...(await editorPlace(editor)), root, ...(folders.length > 0 && { folders }) }
  const config = readConfigFiles(place, ({ message }) => note(message))
  const files = givenSettings(editor.user, config, root)
  const given = { ...files, project: [...files.project, ...editor.project] }
  const run = settledRun({ given, config, place })
  const models = await modelsOf(editor, run)
  const toolbox = await openOwnTools(run, toolOptions(editor))
  return { run, toolbox, ...models }
}

/** The same parts with the servers of their configs, which start now. The same object if there are none. */
export async function startServers(parts: AgentParts, editor: EditorRun): Promise<AgentParts> {
  const toolbox = await withServers(parts.toolbox, parts.run, toolOptions(editor))
  return toolbox === parts.toolbox ? parts : { ...parts, toolbox }
}

function toolOptions({ ask, note, stop }: EditorRun): ToolboxOptions {
  return {
    allow: [],
    deny: [],
    ask,
    note: ({ message }) => note(message),
    warn: ({ message }) => note(message),
    stop,
  }
}

/** The same parts with another model. */
export async function withModel(
  { fault: _, ...parts }: AgentParts,
  editor: EditorModel,
): Promise<AgentParts> {
  return { ...parts, ...(await modelsOf(editor, parts.run)) }
}

type EditorModel = Pick<EditorRun, 'model' | 'baseUrl' | 'environment' | 'note' | 'offered' | 'notOffered'>

/** Without a usable model a folder can be looked at, and its requests too. */
async function modelsOf(
  editor: EditorModel,
  run: SettledRun,
): Promise<Pick<AgentParts, 'model' | 'summaryModel' | 'fault'>> {
  if (editor.offered) return { model: editor.offered }
  try {
    if (editor.notOffered) throw editor.notOffered
    return await openModels(editor, run)
  } catch (error) {
    const fault = modelUnavailable(error)
    return { model: await silentModel(editor, { run, fault }), fault }
  }
}

/** The model as its requests show it. It is never asked. */
async function silentModel(
  editor: EditorModel,
  { run, fault }: { readonly run: SettledRun; readonly fault: Error },
): Promise<Model> {
  const stream = () => {
    throw fault
  }
  // A request is the same with any key. If more is missing, its form is not known.
  const environment = { ...editor.environment, MUTSUMI_API_KEY: 'none' }
  const known = await openModels({ ...editor, environment, note: () => undefined }, run).catch(
    () => undefined,
  )
  if (!known || editor.notOffered) return { name: editor.model ?? '', callsTools: true, stream }
  const { model } = known
  return {
    ...{ ...factsOfModel(model), stream },
    ...(model.providerRequest && { providerRequest: model.providerRequest.bind(model) }),
  }
}

async function openModels(
  { model, baseUrl, environment, note }: EditorModel,
  { settings, config, trusted }: SettledRun,
) {
  const { summary, sampling, timeouts, systemMessages } = settings
  const needs = {
    trusted,
    summary: summary.model,
    isForProgram: false,
    sampling,
    timeouts,
    systemMessages,
    environment,
  }
  const chosen = await chooseModels({ model, baseUrl }, config, needs)
  if (chosen.note) note(chosen.note.message)
  return { model: chosen.model, ...(chosen.summaryModel && { summaryModel: chosen.summaryModel }) }
}
