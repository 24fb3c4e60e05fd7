import { type ConfigDoubt, doubtOfConfig, userConfigFolder } from '@mutsumi/tools/parts'
import { Failure } from '../ground/failure.js'
import { failureWords } from '../ground/failure-words.js'

/** Throws if the user's config folder may contain files of a project: its lists and settings would count as the user's. */
export function checkConfigFolder(root: string): void {
  const doubt = doubtOfConfig(root)
  if (doubt !== undefined) throw new Failure(failureWords(doubtCodes[doubt], userConfigFolder(), root))
}

const doubtCodes = {
  'in-workspace': 'config-in-workspace',
  'in-project': 'config-in-project',
  'of-another-user': 'config-of-another-user',
} as const satisfies Readonly<Record<ConfigDoubt, string>>
