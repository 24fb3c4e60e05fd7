import { type ConfigDoubt, doubtOfConfig, userConfigFolder } from '@mutsumi/tools/parts'
import { Failure } from '../ground/failure.js'

/** Throws if the user's config folder may contain files of a project: its lists and settings would count as the user's. */
export function checkConfigFolder(root: string): void {
  const doubt = doubtOfConfig(root)
  if (doubt !== undefined) throw new Failure(refusedConfig(doubt, root))
}

function refusedConfig(doubt: ConfigDoubt, root: string): string {
  const folder = `the config folder ${userConfigFolder()}`
  switch (doubt) {
    case 'in-workspace':
      return `${folder} is in the workspace ${root}: a project's files never count as your own; set MUTSUMI_CONFIG_DIR or HOME to a folder elsewhere`
    case 'in-project':
      return `${folder} is in the same project as the workspace ${root}: a project's files never count as your own; if it is yours, set MUTSUMI_CONFIG_DIR to it, else set HOME to your own folder`
    case 'of-another-user':
      return `${folder} belongs to another user; if you want to use it, set MUTSUMI_CONFIG_DIR to it, else set HOME to your own folder`
    default:
      return doubt satisfies never
  }
}
