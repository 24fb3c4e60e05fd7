import { outcomeText } from '../reasons/outcome.js'
import { mountLimit, type ProtectedPaths } from './find-protected.js'
import { foreignPointerMessage } from './pointer-watch.js'
import { foreignPointersOf } from './protected-changes.js'
import type { Sandbox } from './sandbox.js'
import { folderLimit, largestBelow } from './search-folders.js'

/**
 * Why no command may run here. Without a sandbox it could replace our own program; a sandbox must be able to protect
 * everything.
 */
export function whyNotHeld(
  paths: Pick<ProtectedPaths, 'gitFolders' | 'tooLarge' | 'canBeHeld'>,
  own: readonly string[],
  { kind }: Sandbox,
): string | undefined {
  if (kind === 'none') return own[0] === undefined ? undefined : outcomeText('own-files-open', own[0])
  const [foreign] = foreignPointersOf(paths)
  if (foreign !== undefined) return foreignPointerMessage(foreign)
  const { tooLarge, canBeHeld } = paths
  if (tooLarge !== undefined)
    return outcomeText('too-many-folders', folderLimit, tooLarge, largestBelow(tooLarge))
  return canBeHeld ? undefined : outcomeText('too-much-protected', mountLimit)
}
