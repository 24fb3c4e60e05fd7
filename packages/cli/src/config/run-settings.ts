import {
  type Assignment,
  examineConfigFiles,
  failureOf,
  flagAssignments,
  givenSettings,
  misspeltVariables,
  namesOf,
  type Place,
  projectRequirement,
  type RunSettings,
  readConfigFiles,
  runDefaults,
  type SettledRun,
  settingFault,
  settingsOf,
  settledRun,
} from '@mutsumi/host'
import type { CommandOptions } from '../flags/options.js'
import { placeOf, strangerNote } from '../place/place.js'
import { printError, printHostNote } from '../terminal/output.js'
import { say, sayFault } from '../words/say.js'

export interface RunSettingsOptions extends CommandOptions {
  readonly C?: string
  readonly c: readonly string[]
  readonly trust?: boolean
  /** `--add-dir`. */
  readonly addDir?: readonly string[]
  /** `--max-steps`, which is the setting of that name. */
  readonly maxSteps?: number
  /** `--keep`, which is the setting of that name. */
  readonly keep?: string
  /** `--quiet`. */
  readonly quiet?: boolean
}

/** The first of flag, environment, user's config and trusted project's config that sets a value counts. */
export async function settleRun(options: RunSettingsOptions, defaults?: RunSettings): Promise<SettledRun> {
  const { marker, strangers, ...place } = await placeOf(options)
  for (const stranger of strangers) printError(strangerNote(stranger))
  if (marker !== undefined && !options.quiet)
    printError(say`the workspace is ${place.root}, which contains ${marker}; use -C . for this folder alone`)
  warnOfMisspeltVariables()
  const config = readConfigFiles(place, printHostNote)
  const given = givenSettings(flagsOf(options), config, place.root)
  return settledRun({ given, config, place }, defaults)
}

/** The valid settings of a run, and all problems of the others. */
export interface ExaminedRun extends Pick<SettledRun, 'settings' | 'given' | 'config' | 'sandboxRequiredBy'> {
  readonly problems: readonly string[]
  /** Config files that could not be read. */
  readonly unreadable: readonly string[]
  /** The source of each setting, by its name: `-c network`. */
  readonly setBy: ReadonlyMap<string, string>
}

/** The same as `settleRun`, but with all faults instead of the first. */
export function examineRun(options: RunSettingsOptions, place: Place): ExaminedRun {
  const { config, faults } = examineConfigFiles(place, printHostNote)
  const all = givenSettings(flagsOf(options), config, place.root)
  const wrong = [...all.project, ...all.own].flatMap((assignment) => settingFault(assignment) ?? [])
  const isSound = (assignment: Assignment) => settingFault(assignment) === undefined
  const sound = { project: all.project.filter(isSound), own: all.own.filter(isSound) }
  const outOfOrder = failureOf(() => settingsOf(sound))
  const isGoal = ({ key }: Assignment) => key === 'compactTo'
  const given =
    outOfOrder === undefined ? sound : { ...sound, own: sound.own.filter((each) => !isGoal(each)) }
  const requiredBy = projectRequirement(sound)
  return {
    ...(requiredBy !== undefined && { sandboxRequiredBy: requiredBy }),
    settings: failureOf(() => settingsOf(given)) === undefined ? settingsOf(given) : runDefaults,
    ...{ given: namesOf(all), config },
    problems: [...faults.map(({ failure }) => failure), ...wrong, ...(outOfOrder ? [outOfOrder] : [])].map(
      sayFault,
    ),
    unreadable: faults.map(({ file }) => file),
    setBy: new Map([...sound.project, ...sound.own].map(({ key, label }) => [key, label])),
  }
}

export function warnOfMisspeltVariables(): void {
  const warning = misspeltVariables(process.env)
  if (warning !== undefined) printError(sayFault(warning))
}

function flagsOf(options: RunSettingsOptions): Assignment[] {
  return [...flagAssignments(options.c), ...commandAssignments(options)]
}

function commandAssignments({
  sandbox,
  network,
  mode,
  maxSteps,
  keep,
}: CommandOptions & Pick<RunSettingsOptions, 'maxSteps' | 'keep'>): Assignment[] {
  return [
    ...(keep === undefined ? [] : [{ key: 'keep', value: keep, label: '--keep' }]),
    ...(maxSteps === undefined ? [] : [{ key: 'maxSteps', value: String(maxSteps), label: '--max-steps' }]),
    ...(sandbox === undefined ? [] : [{ key: 'sandbox', value: sandbox, label: '--sandbox' }]),
    ...(mode === undefined ? [] : [{ key: 'mode', value: mode, label: '--mode' }]),
    ...(network ? [{ key: 'network', value: 'true', label: '--network' }] : []),
  ]
}
