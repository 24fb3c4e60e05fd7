import { shellWord } from '@mutsumi/host'
import type { LocalModel, LocalServer, Preset } from '@mutsumi/model'
import { safeLine } from '@mutsumi/schema'
import { type Column, drawTable } from '../terminal/columns.js'

/** What `mutsumi models --json` prints. Keys are told by the names of their variables. */
export interface ModelListing {
  /** What a run without `--model` would ask; null where nothing is configured, and the offline model answers. */
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
  /** How `--model` names it. */
  readonly model: string
}

/** Servers may offer hundreds. */
const shownModels = 20

/** Who can be asked, as a table; below it what runs on this machine. */
export function drawModels({ configured, presets, local }: ModelListing): string {
  const rows = presets.map((preset) => [`--model ${preset.example}`, keyText(preset), placeText(preset)])
  const table = drawTable(columns, [...rows, ...builtIn])
  return [configuredText(configured), table, ...local.map(drawServer), naming].join('\n\n')
}

const columns: readonly Column[] = [{ title: 'model' }, { title: 'key' }, { title: 'asked at' }]

const builtIn = [
  ['--model offline', 'no key', 'built in: searches, reads and quotes'],
  ['--model scripted:FILE', 'no key', 'replies from a file'],
]

const naming =
  'A model is named by --model, MUTSUMI_MODEL or "model" in the config; any other server by openai-compatible/NAME with\n--base-url. docs/guide/models.md tells the rest.'

function configuredText(configured: ModelListing['configured']): string {
  if (configured === null) return 'Configured: none; the built-in offline model answers.'
  if ('problem' in configured) return `Configured: ${safeLine(configured.problem)}`
  return `Configured: ${safeLine(configured.model)} (${configured.source})`
}

function keyText({ key, needsKey, keyVariables }: Preset): string {
  if (key !== undefined) return `${key} is set`
  return needsKey ? `${keyVariables[0]} is not set` : 'no key'
}

function placeText({ baseUrl, missing }: Preset): string {
  return baseUrl ?? `needs ${missing?.split(';', 1)[0] ?? 'an address'}`
}

/** Whatever listens on that port chose the names; the user may copy one into a shell. */
function drawServer({ name, provider, baseUrl, models }: ListedServer): string {
  const where = provider === 'openai-compatible' ? ` --base-url ${baseUrl}` : ''
  const lines = models.slice(0, shownModels).map(({ model }) => `  --model ${shellWord(model)}${where}`)
  const more =
    models.length > shownModels ? [`  … and ${models.length - shownModels} more; --json lists them`] : []
  return [`${name} runs here (${baseUrl}):`, ...lines, ...more].join('\n')
}
