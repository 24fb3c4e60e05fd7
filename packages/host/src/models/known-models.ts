import type { LocalServer, Preset, ProviderChoice, Reach } from '@mutsumi/model'
import type { Phrase, WordedMessage } from '@mutsumi/schema'
import { failureWords } from '../ground/failure-words.js'

/** A model that can be used here, or the reason why it cannot. */
export interface KnownModel {
  /** As `--model` names it. */
  readonly model: string
  /** The address of its server, if the name alone does not lead to it. */
  readonly baseUrl?: string
  /** The name of its provider or server. */
  readonly place: string
  readonly missing?: string
  /** The same as data. */
  readonly missingPhrase?: Phrase | undefined
  /** Of what is missing: a key or an address, an answer, or a key that the server accepts. */
  readonly lack?: 'setup' | 'answer' | 'accepted-key'
}

/** So long each provider may take to list its models. All are asked at once. */
const longestMs = 2500

/**
 * Models on this machine, then those of providers. Every provider that has what it needs is asked what it offers, so models
 * that answer come first. `server`: the address of a server of the user's own.
 */
export async function knownModels(
  environment: NodeJS.ProcessEnv,
  server?: string,
): Promise<readonly KnownModel[]> {
  const { findLocalServers, listPresets } = await import('@mutsumi/model')
  const presets = listPresets(environment)
  const usable = presets.filter(({ missing }) => missing === undefined)
  const [servers, own, ...offers] = await Promise.all([
    findLocalServers(),
    server === undefined ? [] : modelsAt(server, environment),
    ...usable.map((preset) => offeredBy(preset, environment)),
  ])
  const running = new Set(servers.map(({ provider }) => provider))
  const offered = offers.filter((_, index) => !running.has(usable[index]?.name ?? 'openai')).flat()
  const isUsable = ({ missing }: KnownModel) => missing === undefined
  const offline: KnownModel = { model: 'offline', place: 'offline' }
  const unready = presets.filter(({ missing }) => missing !== undefined).map(knownPreset)
  return [
    ...servers.flatMap(modelsOf),
    ...own.filter(({ baseUrl }) => !servers.some((each) => each.baseUrl === baseUrl)),
    ...offered.filter(isUsable),
    offline,
    ...[...offered, ...unready].filter((each) => !isUsable(each)),
  ]
}

/** The models of a server of the user's own. */
export async function modelsAt(
  baseUrl: string,
  environment: NodeJS.ProcessEnv,
): Promise<readonly KnownModel[]> {
  const choice = await choiceFor('openai-compatible/any', environment, baseUrl)
  const reach = choice && (await reached(choice, environment))
  if (reach?.kind !== 'reached') return []
  return (reach.names ?? []).filter(isChat).map((name) => ({
    ...{ model: `openai-compatible/${name}`, baseUrl, place: baseUrl },
  }))
}

function modelsOf({ name, provider, baseUrl, models }: LocalServer): KnownModel[] {
  return models.map(({ id }) => ({
    model: `${provider}/${id}`,
    place: name,
    ...(provider === 'openai-compatible' ? { baseUrl } : {}),
  }))
}

/** The models of a provider: its usual one first, then what it lists. */
async function offeredBy(preset: Preset, environment: NodeJS.ProcessEnv): Promise<readonly KnownModel[]> {
  const { name: place, example: model } = preset
  const choice = await choiceFor(model, environment)
  if (!choice) return [{ model, place }]
  const reach = await reached(choice, environment)
  if (reach.kind === 'unreachable') return [{ model, place, ...lacking(reach.fault), lack: 'answer' }]
  if (reach.kind === 'refused')
    return [{ model, place, ...lacking(failureWords('key-refused', reach.status)), lack: 'accepted-key' }]
  const listed = (reach.names ?? []).filter(isChat).map((name) => `${place}/${name}`)
  const first = reach.isListed === false && listed.length > 0 ? [] : [model]
  return [...new Set([...first, ...listed.sort()])].map((each) => ({ model: each, place }))
}

async function choiceFor(
  model: string,
  environment: NodeJS.ProcessEnv,
  baseUrl?: string,
): Promise<ProviderChoice | undefined> {
  const { resolveModelChoice } = await import('@mutsumi/model')
  const { MUTSUMI_MODEL: _, MUTSUMI_BASE_URL: __, ...others } = environment
  const { choice } = resolveModelChoice({
    flags: { model, ...(baseUrl !== undefined && { baseUrl }) },
    environment: others,
  })
  return choice && choice.provider !== 'offline' && choice.provider !== 'scripted' ? choice : undefined
}

async function reached(choice: ProviderChoice, environment: NodeJS.ProcessEnv): Promise<Reach> {
  const { reachModel } = await import('@mutsumi/model')
  return reachModel(choice, { environment, timeoutMs: longestMs })
}

/** Servers also list models that cannot chat. */
function isChat(name: string): boolean {
  return !/embed|rerank|whisper|tts|dall-e|moderation|transcribe|realtime|image|audio|sora|babbage|davinci/i.test(
    name,
  )
}

function lacking({ message, phrase }: WordedMessage): Pick<KnownModel, 'missing' | 'missingPhrase'> {
  return { missing: message, missingPhrase: phrase }
}

function knownPreset({ name, example, missing, missingPhrase }: Preset): KnownModel {
  return {
    ...{ model: example, place: name },
    ...(missing === undefined ? {} : { missing, missingPhrase, lack: 'setup' as const }),
  }
}
