import type { Confinement } from './sandbox.js'

/** The profile with which macOS runs a program, confined. Of several rules that fit, the last one counts. */
export function seatbeltProfile(confinement: Confinement): string {
  const { writable, homes, readable, secrets, denied, network } = confinement
  return [
    ...base,
    ...rule('deny file-read-data file-write*', homes),
    ...rule('allow file-read*', [...readable, ...writable]),
    ...rule('allow file-write*', [...scratchFolders, ...writable]),
    ...rule('deny file-write*', [...confinement.protected, ...confinement.absent]),
    // Renaming a folder would move the protected paths in it.
    ...rule('deny file-write-unlink', confinement.pinned, 'literal'),
    ...rule(
      'deny file-read* file-write*',
      [...secrets, ...denied].map(({ path }) => path),
    ),
    ...(network ? ['(allow network*)', '(allow system-socket)'] : []),
  ].join('\n')
}

const base = [
  '(version 1)',
  '(deny default)',
  '(allow process-exec process-fork)',
  '(allow process-info* (target same-sandbox))',
  '(allow signal (target same-sandbox))',
  '(allow sysctl-read)',
  '(allow ipc-posix-sem)',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
  '(allow file-read*)',
  '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (subpath "/dev/fd"))',
]

/** macOS cannot give a command a private version of these. */
const scratchFolders = ['/private/tmp', '/private/var/tmp', '/private/var/folders']

function rule(
  action: string,
  paths: readonly string[],
  filter: 'subpath' | 'literal' = 'subpath',
): readonly string[] {
  if (paths.length === 0) return []
  return [`(${action} ${paths.map((path) => `(${filter} ${quote(path)})`).join(' ')})`]
}

/** A folder's name must not be able to add rules. */
function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`
}
