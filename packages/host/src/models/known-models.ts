import type { Preset } from '@mutsumi/model'

/** A model that can be used here, or the reason why it cannot. */
export interface KnownModel {
  /** As `--model` names it. */
  readonly model: string
  /** The address of a server on this machine. */
  readonly baseUrl?: string
  /** The name of its provider or server. */
  readonly place: string
  readonly missing?: string
}

/** Models on this machine, then those of providers. Models that can be used now come first. */
export async function knownModels(environment: NodeJS.ProcessEnv): Promise<readonly KnownModel[]> {
  const { findLocalServers, listPresets } = await import('@mutsumi/model')
  const servers = await findLocalServers()
  const local = servers.flatMap(({ name, provider, baseUrl, models }) =>
    models.map(({ id }) => ({
      model: `${provider}/${id}`,
      place: name,
      ...(provider === 'openai-compatible' ? { baseUrl } : {}),
    })),
  )
  const presets = listPresets(environment).map(knownPreset)
  const offline: KnownModel = { model: 'offline', place: 'offline' }
  return [
    ...local,
    ...presets.filter(({ missing }) => missing === undefined),
    offline,
    ...presets.filter(({ missing }) => missing !== undefined),
  ]
}

function knownPreset({ name, example, missing }: Preset): KnownModel {
  return { model: example, place: name, ...(missing === undefined ? {} : { missing }) }
}
