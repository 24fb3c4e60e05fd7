import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'

/** Facts about a name itself, also if it is a link. Undefined if there is nothing, or if a folder above it cannot be searched. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // The path is below a file, or in a folder without search permission: no program of this user finds it either.
    return undefined
  }
}

/** The entries of a folder, in no order. Undefined if it is gone or cannot be listed. */
export function direntsOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return undefined
  }
}
