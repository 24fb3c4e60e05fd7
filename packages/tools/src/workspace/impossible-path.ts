import { isAbsolute } from 'node:path'
import type { ReadFault } from '@mutsumi/schema'
import { badPath, longName } from './faults.js'

/** The longest path that Linux takes. */
const pathLimit = 4096

/** Longer names are on no file system; where it counts bytes, the file system itself refuses shorter ones. */
const overlongName = /[^/]{256}/

/** Why nothing can be at this path, told by its letters alone; undefined where something could be. */
export function impossiblePath(path: string): ReadFault | undefined {
  if (path.length > pathLimit || path.includes('\0') || !isAbsolute(path)) return badPath
  return overlongName.test(path) ? longName : undefined
}
