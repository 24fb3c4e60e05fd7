import {
  type Assignment,
  chooseModels,
  givenSettings,
  openToolbox,
  type RunSettings,
  readConfigFiles,
  settledRun,
} from '@mutsumi/host'
import type { Model } from '@mutsumi/schema'
import type { PermissionGateOptions } from '@mutsumi/tools'
import { settleKilled } from '@mutsumi/tools/parts'
import type { AgentParts } from './run-cell.js'

/** The editor's settings for a run. */
export interface EditorRun {
  readonly root: string
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
  /** The environment, with the keys that the editor stores. */
  readonly environment: NodeJS.ProcessEnv
  readonly ask: NonNullable<PermissionGateOptions['ask']>
  readonly note: (message: string) => void
  readonly stop: AbortSignal
}

/** Settings, tools and model of a workspace folder, as the editor has them. */
export async function openParts(editor: EditorRun): Promise<AgentParts> {
  const { root, trusted, folders, note, ask, stop } = editor
  for (const { message } of await settleKilled(root)) note(message)
  const place = { root, trusted, ...(folders.length > 0 && { folders }) }
  const config = readConfigFiles(place, note)
  const files = givenSettings(editor.user, config, root)
  const given = { ...files, project: [...files.project, ...editor.project] }
  const run = settledRun({ given, config, place })
  const models = editor.offered ? { model: editor.offered } : await openModels(editor, run)
  const warn = ({ message }: { readonly message: string }) => note(message)
  const toolbox = await openToolbox(run, { allow: [], deny: [], ask, note, warn, stop })
  return { run, toolbox, ...models }
}

async function openModels(
  { model, baseUrl, environment, trusted, note }: EditorRun,
  {
    settings,
    config,
  }: { readonly settings: RunSettings; readonly config: Parameters<typeof chooseModels>[1] },
) {
  const { summary, sampling, timeouts } = settings
  const needs = { trusted, summary: summary.model, isForProgram: false, sampling, timeouts, environment }
  const chosen = await chooseModels({ model, baseUrl }, config, needs)
  if (chosen.note) note(chosen.note)
  return { model: chosen.model, ...(chosen.summaryModel && { summaryModel: chosen.summaryModel }) }
}
