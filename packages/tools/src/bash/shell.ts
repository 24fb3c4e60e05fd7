import { existsSync } from 'node:fs'

/** Fixed places, not PATH: the project may have put a `bash` of its own there. */
const places = [
  '/bin/bash',
  '/usr/bin/bash',
  '/usr/local/bin/bash',
  '/run/current-system/sw/bin/bash',
  '/bin/sh',
]

/** Git for Windows brings one. WSL's bash.exe would run the command on another file system. */
const windowsPlaces = ['C:\\Program Files\\Git\\bin\\bash.exe', 'C:\\Program Files (x86)\\Git\\bin\\bash.exe']

/** The shell that commands run in; undefined where there is none. */
export function findShell(
  platform: NodeJS.Platform = process.platform,
  exists: (path: string) => boolean = existsSync,
): string | undefined {
  return (platform === 'win32' ? windowsPlaces : places).find(exists)
}

/** What a command is told where there is none. */
export const noShell = 'there is no bash here; Git for Windows (winget install Git.Git) brings one'
