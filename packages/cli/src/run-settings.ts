import { assignmentsOf, type ConfigFiles, configPaths, readConfigFiles } from './agent/config-files.js'
import { type Place, placeOf } from './host.js'
import { environmentAssignments, flagAssignments, type RunSettings, readSettings } from './settings.js'

export interface RunSettingsOptions {
  readonly C?: string
  readonly c: readonly string[]
  readonly trust?: boolean
}

/** The settings of a run, and what they were read from. */
export interface SettledRun extends Place {
  readonly settings: RunSettings
  /** Settings that somebody set, by their names: the others are defaults. */
  readonly given: ReadonlySet<string>
  readonly config: ConfigFiles
}

/** By flag, environment, the user's config, then the project's own once it is trusted: the first that speaks counts. */
export async function settleRun(options: RunSettingsOptions, defaults?: RunSettings): Promise<SettledRun> {
  const place = await placeOf(options)
  const config = readConfigFiles(place)
  const paths = configPaths(place.root)
  const assignments = [
    ...assignmentsOf(config.project, paths.project),
    ...assignmentsOf(config.user, paths.user),
    ...environmentAssignments(process.env),
    ...flagAssignments(options.c),
  ]
  const given = new Set(assignments.map(({ key }) => key))
  return { settings: readSettings(assignments, defaults), given, ...place, config }
}
