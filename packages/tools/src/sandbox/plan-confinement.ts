import { existsSync, lstatSync, mkdirSync, readlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { once } from '@mutsumi/schema'
import { protectedNames } from '../protected/protected-paths.js'
import { isInside } from '../workspace/paths.js'
import { realPathOf, realPathOrPlanned } from '../workspace/real-path.js'
import { systemFolders } from './bubblewrap.js'
import type { ProtectedPaths } from './find-protected.js'
import { foreignSockets } from './foreign-sockets.js'
import type { Confinement, Secret } from './sandbox.js'

export interface ConfinementRequest {
  readonly directory: string
  readonly network: boolean
  readonly writable: readonly string[]
  readonly paths: Pick<ProtectedPaths, 'pinned' | 'protected' | 'absent'> &
    Partial<Pick<ProtectedPaths, 'sessions' | 'sockets'>>
  readonly home: string
  /** Mutsumi's own folders of the user: settings, and copies for undo. */
  readonly own?: readonly string[]
  /** The value of PATH. */
  readonly searchPath: string
}

/** Finds on disk what a command must not see and what it needs. */
export function planConfinement(request: ConfinementRequest): Confinement {
  const { directory, network, writable, paths, searchPath, own = [] } = request
  const isRoot = process.getuid?.() === 0
  const home = realPathOf(request.home) ?? request.home
  const homes = [...new Set([home, '/root', '/home', '/Users'])].filter(isHome)
  const isHidden = (path: string) => homes.some((folder) => isInside(folder, path))
  const inHome = toolsInHome.map((name) => join(home, name))
  // A PATH that contains a home folder must not make it visible.
  const readable = existing([...inHome, ...programFolders(searchPath, isHidden)]).filter(
    (path) => !homes.some((folder) => isInside(path, folder)),
  )
  const shown = [...systemFolders, ...readable, ...writable]
  const isShown = (path: string) =>
    shown.some((folder) => isInside(folder, path)) && !writable.some((root) => isInside(path, root))
  const sessions = (paths.sessions ?? []).filter(isShown).flatMap(secretAt)
  return {
    directory,
    network,
    isRoot,
    writable,
    pinned: paths.pinned.filter((path) => writable.some((folder) => isInside(folder, path))),
    protected: paths.protected.flatMap((path) => protectedPart(path, writable)),
    absent: [...paths.absent, ...writable.flatMap(protectedNamesAt)],
    homes,
    links: systemLinks(),
    readable,
    secrets: [
      ...visibleSecrets(home, writable),
      ...own.flatMap((folder) => ownFolder(folder, isShown)),
      ...sessions.filter((session) => !isTracked(session)),
      ...foreignSockets(paths.sockets ?? [], shown).map((path) => ({ path, kind: 'file' as const })),
      ...(isRoot ? shownByKernel() : []),
    ],
    denied: sessions.filter(isTracked),
  }
}

/**
 * The user may keep sessions in git. Git would take them for deleted if they were in an empty folder, and `git commit -a`
 * would delete them; a locked folder is an error for it. Others are quietly absent, so that searches do not complain.
 */
function isTracked({ path, kind }: Secret): boolean {
  return kind === 'folder' && !existsSync(join(path, '.gitignore'))
}

/** If it is visible, it must exist, because only existing folders can be hidden. */
function ownFolder(folder: string, isShown: (path: string) => boolean): Secret[] {
  const path = realPathOrPlanned(folder)
  if (path === undefined || !isShown(path)) return []
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch {
    // We may not write there. Then there is nothing of ours.
  }
  return secretAt(path)
}

/** The same without paths that rules deny reading, and without mounts inside them. `above`: folders that stay in place. */
export function withoutDenied(
  confinement: Confinement,
  denied: readonly Secret[],
  above: readonly string[] = [],
): Confinement {
  const { writable } = confinement
  const pinned = above.filter((path) => writable.some((folder) => isInside(folder, path)))
  const isShown = (path: string) => !denied.some((hidden) => isInside(hidden.path, path))
  return {
    ...confinement,
    writable: writable.filter(isShown),
    pinned: [...new Set([...confinement.pinned, ...pinned])].filter(isShown),
    protected: confinement.protected.filter(isShown),
    readable: confinement.readable.filter(isShown),
    secrets: confinement.secrets.filter(({ path }) => isShown(path)),
    denied: [...confinement.denied.filter(({ path }) => isShown(path)), ...denied],
  }
}

/** `git init` in a folder without a repository must work. */
function protectedNamesAt(root: string): readonly string[] {
  const known = namesAt.get(root) ?? plainNames().map((name) => join(root, name))
  namesAt.set(root, known)
  return known
}

const namesAt = new Map<string, readonly string[]>()

const plainNames = once(() =>
  protectedNames.map((sequence) => sequence.join('/')).filter((name) => name !== '.git'),
)

/** A session may use only a part of the workspace. Then a protected path may be outside of it, or contain it. */
function protectedPart(path: string, writable: readonly string[]): readonly string[] {
  if (writable.some((folder) => isInside(folder, path))) return [path]
  return writable.filter((folder) => isInside(path, folder))
}

/** The parts of a home folder that compilers and package managers need and that contain no credentials. */
const toolsInHome = [
  '.nvm',
  '.volta',
  '.asdf',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.sdkman',
  '.cargo/bin',
  '.cargo/registry',
  '.deno/bin',
  '.bun/bin',
  '.local/bin',
  '.local/lib',
  '.local/pipx',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pnpm',
  '.local/share/uv',
  'go/bin',
  'go/pkg/mod',
  '.gitconfig',
  '.config/git/config',
  '.config/git/ignore',
]

const secretsInHome = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/gcloud',
  '.config/gh',
  '.config/git/credentials',
  '.config/mutsumi',
  '.local/share/keyrings',
  '.local/share/mutsumi',
  '.local/state/mutsumi',
  '.mozilla',
  'Library/Keychains',
]

/** Only root could read these, and in a sandbox it must not. */
const systemSecrets = ['/etc/shadow', '/etc/gshadow', '/etc/ssh', '/etc/ssl/private']

/**
 * The kernel shows these to their owner, which is root under any name. Each one is a mount; containers hide the same
 * files.
 */
const kernelFiles = ['acpi', 'kcore', 'keys', 'latency_stats', 'timer_list', 'sched_debug', 'scsi'].map(
  (name) => `/proc/${name}`,
)

/** They exist as long as the kernel runs. */
const shownByKernel = once(() => kernelFiles.flatMap(secretAt))

/** On most systems `/bin` and the like are links into `/usr`. They stay what they are as long as the system runs. */
const systemLinks = once(
  () => new Map(systemFolders.map((path) => [path, linkAt(path)] as const).filter(([, to]) => isInUsr(to))),
)

function isInUsr(target: string): boolean {
  return /^\/?usr\/\w+$/.test(target)
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/**
 * A home folder is already hidden as a whole, unless the user opened it. A link is followed, because `.ssh` may be
 * elsewhere.
 */
function visibleSecrets(home: string, writable: readonly string[]): Secret[] {
  const isOpened = (path: string) => writable.some((root) => path !== root && isInside(root, path))
  const present = secretsInHome.map((name) => join(home, name)).filter(isThere)
  const opened = present.flatMap((path) => realPathOf(path) ?? []).filter(isOpened)
  return [...systemSecrets, ...opened].flatMap(secretAt)
}

function secretAt(path: string): Secret[] {
  const kind = kindAt(path)
  return kind === undefined ? [] : [{ path, kind }]
}

/**
 * The folders of PATH that do not belong to the system. A toolchain's `bin` needs the `lib` beside it. But in a home
 * folder, or right below the root, everything else is beside `bin`, so there only `bin` is used.
 */
function programFolders(searchPath: string, isHidden: (path: string) => boolean): string[] {
  const folders = searchPath.split(':').filter((folder) => isAbsolute(folder) && !isSystem(folder))
  return folders.map((folder) => {
    const isToolchain = basename(folder) === 'bin' && folder.split('/').length > 3 && !isHidden(folder)
    return isToolchain ? dirname(folder) : folder
  })
}

function isSystem(folder: string): boolean {
  return folder === '/' || ['/usr', '/bin', '/sbin', '/opt', '/nix'].some((root) => isInside(root, folder))
}

/** The home of a service account may be the whole disk. */
function isHome(path: string): boolean {
  return path !== '/' && kindAt(path) === 'folder'
}

/** Cheaper than `realpath`, which throws if there is nothing. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // The path is below a file, or in a folder without search permission.
    return false
  }
}

function existing(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => existsSync(path))
}

function kindAt(path: string): Secret['kind'] | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory()) return 'folder'
    return found?.isFile() ? 'file' : undefined
  } catch {
    // In a folder without search permission, so it is not visible inside either.
    return undefined
  }
}
