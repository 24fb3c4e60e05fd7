import { lstatSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where pasted images are stored. */
export function pastedImagesFolder(): string {
  return join(tmpdir(), 'mutsumi_images')
}

/** A folder of this user, not a link: anybody may make something of that name in the folder for temporary files. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() === true && (process.getuid === undefined || stat.uid === process.getuid())
}
