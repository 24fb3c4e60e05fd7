import { stricterMode } from '@mutsumi/tools/parts'
import type { Place } from '../place/open-workspace.js'
import { assignmentsOf, type ConfigFiles, configPaths } from './config-files.js'
import { type ModelPrices, readModelPrices } from './model-prices.js'
import { type Assignment, environmentAssignments, type RunSettings, readSettings } from './settings.js'

/** The settings of a run, and their sources. */
export interface SettledRun extends Place {
  readonly settings: RunSettings
  /** The names of settings that were set. The others are defaults. */
  readonly given: ReadonlySet<string>
  readonly config: ConfigFiles
  /** A trusted project's setting that requires a sandbox although the user does not. */
  readonly sandboxRequiredBy?: string
}

export interface GivenSettings {
  readonly project: readonly Assignment[]
  /** From the user's config, environment and flags. */
  readonly own: readonly Assignment[]
}

/** Flags (or editor settings) go before the environment, then the user's config, then the project's. */
export function givenSettings(
  flags: readonly Assignment[],
  config: ConfigFiles,
  root: string,
): GivenSettings {
  const paths = configPaths(root)
  return {
    project: assignmentsOf(config.project, paths.project),
    own: [...assignmentsOf(config.user, paths.user), ...environmentAssignments(process.env), ...flags],
  }
}

/** Computes the settings of a run in a place. */
export function settledRun(
  { given, config, place }: { given: GivenSettings; config: ConfigFiles; place: Place },
  defaults?: RunSettings,
): SettledRun {
  const requiredBy = projectRequirement(given)
  return {
    ...{ settings: { ...settingsOf(given, defaults), modelPrices: modelPricesOf(config, place) } },
    ...{ given: namesOf(given), ...place, config },
    ...(requiredBy !== undefined && { sandboxRequiredBy: requiredBy }),
  }
}

/** The user's own table goes before that of a trusted project. */
function modelPricesOf({ user, project }: ConfigFiles, { root }: Place): ModelPrices {
  const paths = configPaths(root)
  return { ...readModelPrices(project, paths.project), ...readModelPrices(user, paths.user) }
}

export function settingsOf({ project, own }: GivenSettings, defaults?: RunSettings): RunSettings {
  return { ...readSettings([...project, ...own], defaults), ...confinementOf(own, project) }
}

export function namesOf({ project, own }: GivenSettings): ReadonlySet<string> {
  return new Set([...project, ...own].map(({ key }) => key))
}

/**
 * The sandbox of a run's commands: as the user set it, or stricter if a trusted project asks for that. Its mode: as the
 * user set it.
 */
function confinementOf(
  own: readonly Assignment[],
  project: readonly Assignment[],
): Pick<RunSettings, 'sandbox' | 'network' | 'mode'> {
  const of = (assignments: readonly Assignment[], key: 'sandbox' | 'network' | 'mode') =>
    assignments.filter((assignment) => assignment.key === key)
  const forbids = of(project, 'network').length > 0 && !readSettings(of(project, 'network')).network
  const asked = of(project, 'sandbox')
  const { sandbox } = readSettings(of(own, 'sandbox'))
  return {
    sandbox: asked.length === 0 ? sandbox : stricterMode(sandbox, readSettings(asked).sandbox),
    network: readSettings(of(own, 'network')).network && !forbids,
    mode: readSettings(of(own, 'mode')).mode,
  }
}

/** The project's setting that requires a sandbox; undefined if the user requires it too, or if the project does not. */
export function projectRequirement({ own, project }: GivenSettings): string | undefined {
  const of = (assignments: readonly Assignment[]) => assignments.filter(({ key }) => key === 'sandbox')
  const asked = of(project).at(-1)
  const isAsked = asked !== undefined && readSettings([asked]).sandbox === 'require'
  return isAsked && readSettings(of(own)).sandbox !== 'require' ? asked.label : undefined
}
