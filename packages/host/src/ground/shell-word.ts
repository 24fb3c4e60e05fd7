import { relative } from 'node:path'
import { safeLine } from '@mutsumi/schema'

/** A word quoted for a shell, so that the user can copy it from the screen. */
export function shellWord(text: string): string {
  const safe = safeLine(text)
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`
}

/** A path as a user would type it here. */
export function shellPath(path: string): string {
  const here = relative(process.cwd(), path)
  return shellWord(here === '' || here.startsWith('..') ? path : here.startsWith('-') ? `./${here}` : here)
}
