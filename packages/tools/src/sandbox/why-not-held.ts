import { outcomeText } from '../reasons/outcome.js'
import { mountLimit, type ProtectedPaths } from './find-protected.js'
import { foreignPointerMessage } from './pointer-watch.js'
import { foreignPointersOf } from './protected-changes.js'
import type { Sandbox } from './sandbox.js'
import { folderLimit, largestBelow } from './search-folders.js'

/**
 * Why no command may run here. Without a sandbox it could replace our own program; a sandbox must be able to protect
 * everything; and the search must reach every folder, to take out what a command makes.
 */
export function whyNotHeld(
  paths: Pick<ProtectedPaths, 'gitFolders' | 'tooLarge' | 'canBeHeld'>,
  own: readonly string[],
  { kind }: Sandbox,
): string | undefined {
  const { tooLarge, canBeHeld } = paths
  const [open] = kind === 'none' ? own : []
  if (open !== undefined) return outcomeText('own-files-open', open)
  const [foreign] = kind === 'none' ? [] : foreignPointersOf(paths)
  if (foreign !== undefined) return foreignPointerMessage(foreign)
  // Nothing that a command makes there could be taken out, with or without a sandbox.
  if (tooLarge !== undefined)
    return outcomeText('too-many-folders', folderLimit, tooLarge, largestBelow(tooLarge))
  return canBeHeld || kind === 'none' ? undefined : outcomeText('too-much-protected', mountLimit)
}
