import { existsSync } from 'node:fs'
import type { ProtocolSetting } from '@mutsumi/agent'
import type { ConfigFiles, ModelFlags } from '@mutsumi/host'
import type { ModelChoice, ModelSettings } from '@mutsumi/model'
import type { Sampling } from '@mutsumi/schema'
import { withoutSecrets } from './address.js'
import type { Check } from './check.js'

interface ModelSurroundings {
  readonly config: ConfigFiles
  readonly trusted: boolean
  readonly sampling: Sampling
  readonly protocol: {
    readonly setting: ProtocolSetting
    /** Where somebody set it, by its name. */
    readonly setBy: string | undefined
  }
}

/** Which model a run would ask, where, and whose key it would use: by name, never the key itself. Asks nobody. */
export async function checkModel(
  { model, baseUrl }: ModelFlags,
  { config, trusted, sampling, protocol }: ModelSurroundings,
): Promise<readonly Check[]> {
  const { emptyKeyVariables, resolveModelChoice } = await import('@mutsumi/model')
  const settings: ModelSettings = {
    flags: { ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }) },
    environment: process.env,
    userConfig: config.user,
    projectConfig: config.project,
    trusted,
  }
  const { choice, fault } = resolveModelChoice(settings)
  if (fault)
    return [
      {
        name: 'model',
        finding: 'cannot be asked',
        problem: fault.message,
        solution: 'name a model and its key, or use --model offline; docs/guide/models.md shows how',
      },
    ]
  if (choice) return [...(await chosen(choice, settings, sampling)), await protocolCheck(choice, protocol)]
  const empty = emptyKeyVariables(process.env)
  const hint = empty.length === 0 ? '' : ` (${empty.join(', ')}: set, but empty)`
  return [
    { name: 'model', finding: `none is configured${hint}: the built-in offline model answers mutsumi -p` },
    await protocolCheck({ provider: 'offline', name: 'offline' }, protocol),
  ]
}

/** The protocol that a run would speak with the model. */
async function protocolCheck(
  model: Pick<ModelChoice, 'provider' | 'name'>,
  { setting, setBy }: ModelSurroundings['protocol'],
): Promise<Check> {
  const [{ chooseProtocol }, { modelFacts }] = await Promise.all([
    import('@mutsumi/agent'),
    import('@mutsumi/model'),
  ])
  const protocol = chooseProtocol(setting, await modelFacts(model))
  return { name: 'protocol', finding: `${protocol} (${setBy ?? 'auto: the model decides'})` }
}

async function chosen(
  choice: ModelChoice,
  settings: ModelSettings,
  { reasoningEffort }: Sampling,
): Promise<readonly Check[]> {
  if (choice.provider === 'offline') return [{ name: 'model', finding: `offline (${choice.source})` }]
  if (choice.provider === 'scripted') return [scripted(choice.name, choice.source)]
  const { effortProblem, keyOrigin } = await import('@mutsumi/model')
  const { provider, name, baseUrl, source } = choice
  const problem = reasoningEffort === undefined ? undefined : effortProblem(provider, reasoningEffort)
  const origin = keyOrigin(choice, settings)
  return [
    {
      name: 'model',
      finding: `${provider}/${name} (${source})`,
      ...(problem && {
        problem: `reasoningEffort: ${problem}`,
        solution: 'set reasoningEffort to one of those',
      }),
    },
    ...(baseUrl === undefined ? [] : [{ name: 'address', finding: withoutSecrets(baseUrl) }]),
    { name: 'key', finding: origin === undefined ? 'none, and none is needed' : `from ${origin}` },
  ]
}

function scripted(file: string, source: string): Check {
  const check = { name: 'model', finding: `scripted:${file} (${source})` }
  return existsSync(file)
    ? check
    : { ...check, problem: `there is no file ${file}`, solution: 'name a file that is there' }
}
