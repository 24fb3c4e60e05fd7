import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { cutBytes } from './companion-paths.js'

export const sessionEnding = '.mtm'

/** The folder of a workspace's sessions. */
export function sessionsFolder(workspace: string): string {
  return join(workspace, '.mutsumi', 'sessions')
}

/** A file name made from a title, valid on every system, and plain in a shell. */
export function fileNameFor(title: string): string {
  const plain = title
    .normalize('NFC')
    .replace(/(?<=\p{L})'(?=\p{L})/gu, '')
    .replace(/[\p{C}\p{Z}/\\:*?"'<>|;&$`!#^%=(){}[\]~]+/gu, ' ')
    // A leading dash would look like an option, and a leading dot would hide the file. Windows drops trailing dots and
    // spaces.
    .replace(/^[\s.~-]+|[\s.]+$/g, '')
    .replaceAll(' ', '-')
  const name = cutBytes(plain, longestBytes).replace(/[-.]+$/, '') || 'session'
  return `${reserved.test(name) ? `${name}-session` : name}${sessionEnding}`
}

const longestBytes = 100
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Whether a given name is a plain file name on this system, without folders. */
export function isFileName(name: string, platform: string = process.platform): boolean {
  if (name === '' || name === '.' || name === '..') return false
  if (platform !== 'win32') return !/[/\0]/.test(name)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows forbids them in names.
  return !/[\0-\x1f/\\:*?"<>|]|[. ]$/.test(name) && !reserved.test(name)
}

/** A free path for a title. The caller must still create the file without overwriting one. */
export async function freePath(folder: string, title: string): Promise<string> {
  const name = fileNameFor(title)
  const plain = name.slice(0, -sessionEnding.length)
  for (let number = 1; ; number++) {
    const path = join(folder, number === 1 ? name : `${plain}-${number}${sessionEnding}`)
    const taken = await access(path).then(
      () => true,
      () => false,
    )
    if (!taken) return path
  }
}
