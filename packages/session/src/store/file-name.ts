import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { cutBytes } from './companion-paths.js'

export const sessionEnding = '.mtm'

/** Where the sessions of a workspace lie. */
export function sessionsFolder(workspace: string): string {
  return join(workspace, '.mutsumi', 'sessions')
}

/** A file name that says a title, on every system. */
export function fileNameFor(title: string): string {
  const plain = title
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}/\\:*?"<>|]+/gu, ' ')
    // A dash would pass for an option, a dot would hide it; Windows drops dots and spaces at an end.
    .replace(/^[\s.~-]+|[\s.]+$/g, '')
    .replaceAll(' ', '-')
  const name = cutBytes(plain, longestBytes).replace(/[-.]+$/, '') || 'session'
  return `${reserved.test(name) ? `${name}-session` : name}${sessionEnding}`
}

const longestBytes = 100
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Whether a name that somebody gave is the name of one file, and of a file alone, on this system. */
export function isFileName(name: string, platform: string = process.platform): boolean {
  if (name === '' || name === '.' || name === '..') return false
  if (platform !== 'win32') return !/[/\0]/.test(name)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows forbids them in names.
  return !/[\0-\x1f/\\:*?"<>|]|[. ]$/.test(name) && !reserved.test(name)
}

/** A path for a title that no session has yet. Whoever makes a file there still makes it only where there is none. */
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
