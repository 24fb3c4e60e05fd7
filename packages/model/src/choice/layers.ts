import type { ModelFault, Phrase } from '@mutsumi/schema'
import { type FaultCode, faultPhrase, faultWords } from '../faults/fault-words.js'
import type { Environment } from '../wire/environment.js'

/** The sources of a setting, the strongest first. */
export type SettingSource = 'flag' | 'environment' | 'user config' | 'project config'

export interface ModelSettings {
  /** `--model`, `--base-url`, `-c contextWindow=…`. */
  readonly flags?: ChoiceLayer
  readonly environment?: Environment
  readonly userConfig?: ChoiceLayer
  /** Used only in a trusted workspace, because a model URL in a foreign project would get the prompts and the key. */
  readonly projectConfig?: ChoiceLayer
  readonly trusted?: boolean
}

/** As read from a file; the values are not checked yet. */
export interface ChoiceLayer {
  readonly model?: unknown
  readonly baseUrl?: unknown
  readonly apiKey?: unknown
  readonly contextWindow?: unknown
}

export type SourcedLayer = ChoiceLayer & { readonly source: SettingSource }

/** The strongest first. */
export function layersOf({
  flags,
  environment = {},
  userConfig,
  projectConfig,
  trusted,
}: ModelSettings): SourcedLayer[] {
  const variable = (name: string) => environment[name]?.trim() || undefined
  const fromEnvironment: ChoiceLayer = {
    // An empty value counts, because somebody meant to set it.
    model: environment.MUTSUMI_MODEL?.trim(),
    baseUrl: variable('MUTSUMI_BASE_URL'),
    apiKey: variable('MUTSUMI_API_KEY'),
  }
  return [
    { ...flags, source: 'flag' },
    { ...fromEnvironment, source: 'environment' },
    { ...userConfig, source: 'user config' },
    { ...(trusted === true ? projectConfig : {}), source: 'project config' },
  ]
}

/** The first invalid value, with its source. */
export function badValueIn(layers: readonly SourcedLayer[]): ModelFault | undefined {
  return layers.map(badValue).find((fault) => fault !== undefined)
}

function badValue({ model, baseUrl, apiKey, contextWindow, source }: SourcedLayer): ModelFault | undefined {
  const bad = (setting: string, form: FaultCode) =>
    configurationFault('bad-setting', setting, sourcePhrase(source), faultPhrase(form))
  if (model !== undefined && typeof model !== 'string') return bad('model', 'form-model')
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) return bad('baseUrl', 'form-address')
  if (apiKey !== undefined && (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)))
    return bad('apiKey', 'form-key')
  if (contextWindow !== undefined && !(Number.isInteger(contextWindow) && Number(contextWindow) > 0))
    return bad('contextWindow', 'form-tokens')
  return undefined
}

export function isHttpUrl(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    URL.canParse(value.trim()) &&
    /^https?:$/.test(new URL(value.trim()).protocol)
  )
}

export function configurationFault(
  code: FaultCode,
  ...args: readonly (string | number | Phrase)[]
): ModelFault {
  return { kind: 'configuration', ...faultWords(code, ...args) }
}

/** A source in words, such as `environment`. */
export function sourcePhrase(source: SettingSource): Phrase {
  return faultPhrase(sourceCodes[source])
}

const sourceCodes: Readonly<Record<SettingSource, FaultCode>> = {
  flag: 'source-flag',
  environment: 'source-environment',
  'user config': 'source-user',
  'project config': 'source-project',
}
