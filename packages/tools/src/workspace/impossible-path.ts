import { isAbsolute } from 'node:path'
import type { ReadFault } from '@mutsumi/schema'
import { badPath, longName } from './faults.js'

/** The longest path that Linux accepts. */
const pathLimit = 4096

/** No file system has longer names. If it counts bytes, the file system itself refuses shorter ones. */
const overlongName = /[^/]{256}/

/** Why nothing can exist at this path, judged by its characters alone; undefined if something could. */
export function impossiblePath(path: string): ReadFault | undefined {
  if (path.length > pathLimit || path.includes('\0') || !isAbsolute(path)) return badPath
  return overlongName.test(path) ? longName : undefined
}
