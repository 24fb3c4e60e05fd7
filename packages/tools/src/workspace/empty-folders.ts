import { rmdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Admits } from './open-checked.js'
import { withFolder } from './open-folder.js'
import { isInside } from './paths.js'

/** Removes a folder and its parents as long as they are empty, up to `end`, which stays. */
export function removeEmptyFolders(folder: string, end: string, admits: Admits): void {
  if (folder === end || !isInside(end, folder)) return
  try {
    withFolder(dirname(folder), admits, (parent) => rmdirSync(parent.at(basename(folder))))
  } catch {
    // Somebody has put something into it meanwhile, so it stays.
    return
  }
  removeEmptyFolders(dirname(folder), end, admits)
}
