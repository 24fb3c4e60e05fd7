import { stricterMode } from '@mutsumi/tools'
import type { CommandOptions } from '../flags/options.js'
import { type Place, placeOf, strangerNote } from '../place/place.js'
import { printError } from '../terminal/output.js'
import {
  assignmentsOf,
  type ConfigFiles,
  configPaths,
  examineConfigFiles,
  readConfigFiles,
} from './config-files.js'
import {
  type Assignment,
  environmentAssignments,
  faultOf,
  flagAssignments,
  misspeltVariables,
  type RunSettings,
  readSettings,
  runDefaults,
  settingFault,
} from './settings.js'

export interface RunSettingsOptions extends CommandOptions {
  readonly C?: string
  readonly c: readonly string[]
  readonly trust?: boolean
  /** `--add-dir`. */
  readonly addDir?: readonly string[]
  /** `--max-steps`, which is the setting of that name. */
  readonly maxSteps?: number
  /** `--quiet`. */
  readonly quiet?: boolean
}

/** The settings of a run, and what they were read from. */
export interface SettledRun extends Place {
  readonly settings: RunSettings
  /** Settings that somebody set, by their names: the others are defaults. */
  readonly given: ReadonlySet<string>
  readonly config: ConfigFiles
  /** A trusted project's setting that requires a sandbox although the user does not. */
  readonly sandboxRequiredBy?: string
}

/** By flag, environment, the user's config, then the project's own once it is trusted: the first that speaks counts. */
export async function settleRun(options: RunSettingsOptions, defaults?: RunSettings): Promise<SettledRun> {
  const { marker, strangers, ...place } = await placeOf(options)
  for (const stranger of strangers) printError(strangerNote(stranger))
  if (marker !== undefined && !options.quiet)
    printError(`the workspace is ${place.root}, which has ${marker}; -C . takes this folder alone`)
  warnOfMisspeltVariables()
  const config = readConfigFiles(place)
  const given = givenSettings(options, config, place.root)
  const requiredBy = projectRequirement(given)
  return {
    ...{ settings: settingsOf(given, defaults), given: namesOf(given), ...place, config },
    ...(requiredBy !== undefined && { sandboxRequiredBy: requiredBy }),
  }
}

/** The settings of a run as far as they are sound, and everything that is wrong with the others. */
export interface ExaminedRun extends Pick<SettledRun, 'settings' | 'given' | 'config' | 'sandboxRequiredBy'> {
  readonly problems: readonly string[]
  /** Config files that could not be read. */
  readonly unreadable: readonly string[]
  /** Who set each setting that somebody set, by its name: `-c network`. */
  readonly setBy: ReadonlyMap<string, string>
}

/** What `settleRun` would make of the same words, with every fault instead of the first. */
export function examineRun(options: RunSettingsOptions, place: Place): ExaminedRun {
  const { config, faults } = examineConfigFiles(place)
  const all = givenSettings(options, config, place.root)
  const wrong = [...all.project, ...all.own].flatMap((assignment) => settingFault(assignment) ?? [])
  const isSound = (assignment: Assignment) => settingFault(assignment) === undefined
  const sound = { project: all.project.filter(isSound), own: all.own.filter(isSound) }
  const outOfOrder = faultOf(() => settingsOf(sound))
  const isGoal = ({ key }: Assignment) => key === 'compactTo'
  const given =
    outOfOrder === undefined ? sound : { ...sound, own: sound.own.filter((each) => !isGoal(each)) }
  const requiredBy = projectRequirement(sound)
  return {
    ...(requiredBy !== undefined && { sandboxRequiredBy: requiredBy }),
    settings: faultOf(() => settingsOf(given)) === undefined ? settingsOf(given) : runDefaults,
    ...{ given: namesOf(all), config },
    problems: [...faults.map(({ message }) => message), ...wrong, ...(outOfOrder ? [outOfOrder] : [])],
    unreadable: faults.map(({ file }) => file),
    setBy: new Map([...sound.project, ...sound.own].map(({ key, label }) => [key, label])),
  }
}

export function warnOfMisspeltVariables(): void {
  const warning = misspeltVariables(process.env)
  if (warning !== undefined) printError(warning)
}

interface GivenSettings {
  readonly project: readonly Assignment[]
  /** The user's: their config, their environment, their flags. */
  readonly own: readonly Assignment[]
}

function givenSettings(options: RunSettingsOptions, config: ConfigFiles, root: string): GivenSettings {
  const paths = configPaths(root)
  return {
    project: assignmentsOf(config.project, paths.project),
    own: [
      ...assignmentsOf(config.user, paths.user),
      ...environmentAssignments(process.env),
      ...flagAssignments(options.c),
      ...commandAssignments(options),
    ],
  }
}

function settingsOf({ project, own }: GivenSettings, defaults?: RunSettings): RunSettings {
  return { ...readSettings([...project, ...own], defaults), ...confinementOf(own, project) }
}

function namesOf({ project, own }: GivenSettings): ReadonlySet<string> {
  return new Set([...project, ...own].map(({ key }) => key))
}

function commandAssignments({
  sandbox,
  network,
  maxSteps,
}: CommandOptions & Pick<RunSettingsOptions, 'maxSteps'>): Assignment[] {
  return [
    ...(maxSteps === undefined ? [] : [{ key: 'maxSteps', value: String(maxSteps), label: '--max-steps' }]),
    ...(sandbox === undefined ? [] : [{ key: 'sandbox', value: sandbox, label: '--sandbox' }]),
    ...(network ? [{ key: 'network', value: 'true', label: '--network' }] : []),
  ]
}

/** What holds the commands of a run: as the user set it, or stricter where a trusted project asks for that. */
function confinementOf(
  own: readonly Assignment[],
  project: readonly Assignment[],
): Pick<RunSettings, 'sandbox' | 'network'> {
  const of = (assignments: readonly Assignment[], key: 'sandbox' | 'network') =>
    assignments.filter((assignment) => assignment.key === key)
  const forbids = of(project, 'network').length > 0 && !readSettings(of(project, 'network')).network
  const asked = of(project, 'sandbox')
  const { sandbox } = readSettings(of(own, 'sandbox'))
  return {
    sandbox: asked.length === 0 ? sandbox : stricterMode(sandbox, readSettings(asked).sandbox),
    network: readSettings(of(own, 'network')).network && !forbids,
  }
}

/** Where a project is the one that requires a sandbox; undefined where the user requires it, or nobody. */
function projectRequirement({ own, project }: GivenSettings): string | undefined {
  const of = (assignments: readonly Assignment[]) => assignments.filter(({ key }) => key === 'sandbox')
  const asked = of(project).at(-1)
  const isAsked = asked !== undefined && readSettings([asked]).sandbox === 'require'
  return isAsked && readSettings(of(own)).sandbox !== 'require' ? asked.label : undefined
}
