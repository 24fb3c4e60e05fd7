import { existsSync } from 'node:fs'

/** Fixed places, not PATH, because the project may have put its own `bash` there. */
const places = [
  '/bin/bash',
  '/usr/bin/bash',
  '/usr/local/bin/bash',
  '/run/current-system/sw/bin/bash',
  '/bin/sh',
]

/** From Git for Windows. WSL's bash.exe would run the command on another file system. */
const windowsPlaces = ['C:\\Program Files\\Git\\bin\\bash.exe', 'C:\\Program Files (x86)\\Git\\bin\\bash.exe']

/** The shell that commands run in; undefined if there is none. */
export function findShell(
  platform: NodeJS.Platform = process.platform,
  exists: (path: string) => boolean = existsSync,
): string | undefined {
  return (platform === 'win32' ? windowsPlaces : places).find(exists)
}

/** The error if there is none. */
export const noShell =
  'bash was not found; install Git for Windows, which includes it (winget install Git.Git)'
