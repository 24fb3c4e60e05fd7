import { existsSync } from 'node:fs'
import type { ProtocolSetting } from '@mutsumi/agent'
import type { ConfigFiles, ModelFlags } from '@mutsumi/host'
import type { ModelChoice, ModelSettings } from '@mutsumi/model'
import type { Sampling } from '@mutsumi/schema'
import { say, sayFault } from '../words/say.js'
import { withoutSecrets } from './address.js'
import type { Check } from './check.js'

interface ModelSurroundings {
  readonly config: ConfigFiles
  readonly trusted: boolean
  readonly sampling: Sampling
  readonly protocol: {
    readonly setting: ProtocolSetting
    /** The name of the file, variable or flag that set it. */
    readonly setBy: string | undefined
  }
  /** Whether to contact its server. */
  readonly asks: boolean
}

/** Which model a run would use, its address, its key (by name, never the key itself), and whether it is reachable. */
export async function checkModel(
  { model, baseUrl }: ModelFlags,
  { config, trusted, sampling, protocol, asks }: ModelSurroundings,
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
        finding: say`cannot be used`,
        problem: sayFault(fault),
        solution: say`name a model and its key, or use --model offline; docs/guide/models.md shows how`,
      },
    ]
  if (choice)
    return [
      ...(await chosen(choice, settings, sampling)),
      ...(asks ? await serverChecks(choice, settings) : []),
      await protocolCheck(choice, protocol),
    ]
  const empty = emptyKeyVariables(process.env)
  const hint = empty.length === 0 ? '' : say` (${empty.join(', ')}: set, but empty)`
  return [
    { name: 'model', finding: say`none is configured${hint}: the built-in offline model answers mutsumi -p` },
    await protocolCheck({ provider: 'offline', name: 'offline' }, protocol),
  ]
}

/** The protocol that a run would use with the model. */
async function protocolCheck(
  model: Pick<ModelChoice, 'provider' | 'name'>,
  { setting, setBy }: ModelSurroundings['protocol'],
): Promise<Check> {
  const { chooseProtocol } = await import('@mutsumi/agent')
  const { modelFacts } = await import('@mutsumi/model')
  const protocol = chooseProtocol(setting, await modelFacts(model))
  return { name: 'protocol', finding: `${protocol} (${setBy ?? say`auto: the model decides`})` }
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
        problem: `reasoningEffort: ${sayFault(problem)}`,
        solution: say`set reasoningEffort to one of these`,
      }),
    },
    ...(baseUrl === undefined ? [] : [{ name: 'address', finding: withoutSecrets(baseUrl) }]),
    { name: 'key', finding: origin === undefined ? say`none, and none is needed` : say`from ${origin}` },
  ]
}

/** Whether its server answers and accepts the key. */
async function serverChecks(choice: ModelChoice, settings: ModelSettings): Promise<readonly Check[]> {
  if (choice.provider === 'offline' || choice.provider === 'scripted') return []
  const { keyOrigin, reachModel } = await import('@mutsumi/model')
  const reach = await reachModel(choice, { environment: process.env })
  const name = 'server'
  if (reach.kind === 'reached') {
    const listed = reach.isListed === false ? say`; ${choice.name} is not among the models that it lists` : ''
    return [{ name, finding: say`answers (${reach.ms} ms)${listed}` }]
  }
  if (reach.kind === 'unreachable') {
    const solution = say`check the address and the network; --offline leaves this check out`
    return [{ name, finding: say`cannot be reached`, problem: sayFault(reach.fault), solution }]
  }
  const origin = keyOrigin(choice, settings)
  const problem = say`the server does not accept ${origin === undefined ? say`requests without a key` : say`the key`} (${reach.status})`
  const solution =
    origin === undefined ? say`set a key; docs/guide/models.md shows how` : say`check the key from ${origin}`
  return [{ name, finding: say`refuses`, problem, solution }]
}

function scripted(file: string, source: string): Check {
  const check = { name: 'model', finding: `scripted:${file} (${source})` }
  return existsSync(file)
    ? check
    : { ...check, problem: say`there is no file ${file}`, solution: say`name an existing file` }
}
