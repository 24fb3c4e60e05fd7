import { isInside } from '../workspace/paths.js'
import type { Confinement, ProgramCall } from './sandbox.js'

/** The arguments with which bubblewrap runs a program, confined. */
export function bubblewrapArguments(
  confinement: Confinement,
  { program, args }: ProgramCall,
  options: readonly string[] = [],
): string[] {
  return [
    ...isolation,
    ...(confinement.isRoot ? nobody : []),
    ...options,
    ...(confinement.network ? ['--share-net'] : []),
    ...fewest(shallowFirst(mountsOf(confinement))).flatMap(argumentsOf),
    // The files of /proc/sys check the user outside: root, under any name, could set the machine's core pattern.
    ...['--remount-ro', '/proc'],
    // Root as the owner could open locked files, so the command runs under another name.
    ...confinement.denied.flatMap(({ path, kind }) => (kind === 'folder' ? ['--remount-ro', path] : [])),
    // Bubblewrap's mounts are on a temporary folder. A write there must fail instead of being lost.
    ...(confinement.writable.includes('/') ? [] : ['--remount-ro', '/']),
    '--chdir',
    confinement.directory,
    '--',
    program,
    ...args,
  ]
}

// Started by root, bubblewrap would pass on root's capabilities, which allow undoing a mount.
const isolation = [
  '--unshare-all',
  '--unshare-user',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
]

/** A user that exists on every machine. Inside, it owns what root owns outside. */
const nobody = ['--uid', '65534', '--gid', '65534']

/** Shown as they are, read-only. */
export const systemFolders: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  // Beside these is the socket of a service that builds with network access.
  '/nix/store',
  '/nix/var/nix/profiles',
  '/run/current-system',
]

/** `/run` is empty because a socket obeys no read-only mount: Docker's would be a way out. */
const scratchFolders = ['/tmp', '/var/tmp', '/run']

/** Folders that `/etc/resolv.conf` may link to. */
const resolverFolders = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']

interface Mount {
  readonly option: '--ro-bind' | '--ro-bind-try' | '--bind' | '--tmpfs' | '--proc' | '--dev' | '--symlink'
  readonly source?: string
  readonly path: string
  /** The mode of files that bubblewrap creates. */
  readonly mode?: string
}

function argumentsOf({ option, source, path, mode }: Mount): string[] {
  const mount = source === undefined ? [option, path] : [option, source, path]
  return mode === undefined ? mount : ['--perms', mode, ...mount]
}

function mountsOf(confinement: Confinement): Mount[] {
  const { writable, pinned, homes, readable, secrets, denied, network } = confinement
  const isOpened = (path: string) => writable.some((root) => isInside(root, path))
  return [
    ...systemFolders.map((path) => linkOf(path, confinement) ?? bind('--ro-bind-try', path)),
    ...(network ? resolverFolders : []).map((path) => bind('--ro-bind-try', path)),
    { option: '--proc', path: '/proc' },
    { option: '--dev', path: '/dev' },
    // Folders that the user opened stay visible, even in a home folder; the secrets in them do not.
    ...[...scratchFolders, ...homes].filter((path) => !isOpened(path)).map(empty),
    ...readable.filter((path) => !isOpened(path)).map((path) => bind('--ro-bind-try', path)),
    ...[...writable, ...pinned].map((path) => bind('--bind', path)),
    ...confinement.protected.map((path) => bind('--ro-bind', path)),
    ...secrets.map(({ path, kind }) => (kind === 'folder' ? empty(path) : blank(path))),
    // Locked, not empty: otherwise a search would wrongly report that there is nothing.
    ...denied.map(({ path, kind }) => (kind === 'folder' ? { ...empty(path), mode: '0000' } : blank(path))),
  ]
}

/** A link costs nothing; each mount costs bubblewrap a reading of all mounts. */
function linkOf(path: string, { links, writable }: Confinement): Mount | undefined {
  const target = links.get(path)
  if (target === undefined || writable.includes('/')) return undefined
  return { option: '--symlink', source: target, path }
}

function bind(option: '--ro-bind' | '--ro-bind-try' | '--bind', path: string): Mount {
  return { option, source: path, path }
}

function empty(path: string): Mount {
  return { option: '--tmpfs', path }
}

/** The device cannot be opened, because devices are disabled on every mount of bubblewrap. */
function blank(path: string): Mount {
  return { option: '--ro-bind', source: '/dev/null', path }
}

/** A mount hides what was mounted below its path before, so outer folders go first. */
function shallowFirst(mounts: readonly Mount[]): Mount[] {
  const deep = mounts.map((mount) => ({ mount, depth: depth(mount.path) }))
  return deep.sort((one, other) => one.depth - other.depth).map(({ mount }) => mount)
}

/** Without the mounts that show, read-only, what the mount around them shows already. */
function fewest(mounts: readonly Mount[]): Mount[] {
  const kept: Mount[] = []
  for (const mount of mounts) {
    // The deeper ones come last.
    const around = kept.findLast(({ path }) => isInside(path, mount.path))
    if (!(around && isShownAsItIs(around) && isShownAsItIs(mount))) kept.push(mount)
  }
  return kept
}

function isShownAsItIs({ option, source, path }: Mount): boolean {
  return option.startsWith('--ro-bind') && source === path
}

function depth(path: string): number {
  if (path === '/') return 0
  let depth = 0
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) depth++
  return depth
}
