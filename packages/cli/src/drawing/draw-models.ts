import { shellWord } from '@mutsumi/host'
import type { LocalModel, LocalServer, Preset } from '@mutsumi/model'
import { safeLine } from '@mutsumi/schema'
import { type Column, drawTable } from '../terminal/columns.js'
import { say, sayFault } from '../words/say.js'

/** The output of `mutsumi models --json`. Keys are given by the names of their variables. */
export interface ModelListing {
  /** The model of a run without `--model`; null if nothing is configured and the offline model answers. */
  readonly configured: ConfiguredModel | null
  readonly presets: readonly Preset[]
  readonly local: readonly ListedServer[]
}

export type ConfiguredModel =
  | { readonly model: string; readonly source: string }
  | { readonly problem: string }

export interface ListedServer extends Omit<LocalServer, 'models'> {
  readonly models: readonly ListedModel[]
}

export interface ListedModel extends LocalModel {
  /** Its name for `--model`. */
  readonly model: string
}

/** The most models that are shown per server, because some offer hundreds. */
const shownModels = 20

/** A table of usable providers, followed by the servers on this machine. */
export function drawModels({ configured, presets, local }: ModelListing): string {
  const rows = presets.map((preset) => [`--model ${preset.example}`, keyText(preset), placeText(preset)])
  const table = drawTable(columns, [...rows, ...builtIn()])
  return [configuredText(configured), table, ...local.map(drawServer), naming()].join('\n\n')
}

const columns: readonly Column[] = [{ title: 'model' }, { title: 'key' }, { title: 'address' }]

const builtIn = () => [
  ['--model offline', say`no key`, say`built in: searches, reads and quotes`],
  ['--model scripted:FILE', say`no key`, say`replies from a file`],
]

const naming = () =>
  say`Choose a model with --model, MUTSUMI_MODEL or "model" in the config; any other server with openai-compatible/NAME and\n--base-url. docs/guide/models.md has the details.`

function configuredText(configured: ModelListing['configured']): string {
  if (configured === null) return say`Configured: none; the built-in offline model answers.`
  if ('problem' in configured) return say`Configured: ${safeLine(configured.problem)}`
  return say`Configured: ${`${safeLine(configured.model)} (${configured.source})`}`
}

function keyText({ key, needsKey, keyVariables }: Preset): string {
  if (key !== undefined) return say`${key} is set`
  return needsKey ? say`${keyVariables[0]} is not set` : say`no key`
}

function placeText({ baseUrl, missing, missingPhrase }: Preset): string {
  if (baseUrl !== undefined) return baseUrl
  const said = missing === undefined ? say`an address` : sayFault({ message: missing, phrase: missingPhrase })
  return say`needs ${said.split(/[;；]/, 1)[0]}`
}

/** The server chose these names, and the user may copy one into a shell, so they are quoted. */
function drawServer({ name, provider, baseUrl, models }: ListedServer): string {
  const where = provider === 'openai-compatible' ? ` --base-url ${baseUrl}` : ''
  const lines = models.slice(0, shownModels).map(({ model }) => `  --model ${shellWord(model)}${where}`)
  const more =
    models.length > shownModels ? [say`  … and ${models.length - shownModels} more; --json lists them`] : []
  return [say`${name} is running here (${baseUrl}):`, ...lines, ...more].join('\n')
}
