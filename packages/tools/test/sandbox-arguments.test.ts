import { existsSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bubblewrapArguments } from '../src/sandbox/bubblewrap.js'
import { describeSandbox } from '../src/sandbox/describe-sandbox.js'
import { detectSandbox } from '../src/sandbox/detect-sandbox.js'
import { holdProtectedPaths, watchProtectedPaths } from '../src/sandbox/hold-protected-paths.js'
import { planConfinement } from '../src/sandbox/plan-confinement.js'
import type { Confinement } from '../src/sandbox/sandbox.js'
import { searchFolders } from '../src/sandbox/search-folders.js'
import { seatbeltProfile } from '../src/sandbox/seatbelt.js'
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.js'

const confinement: Confinement = {
  directory: '/home/ada/app/src',
  network: false,
  writable: ['/home/ada/app'],
  pinned: ['/home/ada/app/.git'],
  protected: ['/home/ada/app/.git/hooks', '/home/ada/app/.vscode'],
  homes: ['/home/ada', '/home'],
  readable: ['/home/ada/.nvm'],
  secrets: [{ path: '/etc/shadow', kind: 'file' }],
}

const call = { program: '/bin/bash', args: ['-c', '--', 'ls; pwd'] }

/** What git takes for a repository. */
function repositoryAt(folder: string): Record<string, string> {
  return { [`${folder}/HEAD`]: 'ref: refs/heads/main', [`${folder}/objects/x`]: '', [`${folder}/refs/x`]: '' }
}

/** One option a line, as one would write it in a shell script. */
function linesOf(args: readonly string[]): string {
  return args.join(' ').replaceAll(' --', '\n--')
}

describe('bubblewrap', () => {
  test('T7 the arguments show the system read-only, the workspace writable, and nothing of home', () => {
    expect(linesOf(bubblewrapArguments(confinement, call))).toBe(
      `--unshare-all
--die-with-parent
--new-session
--cap-drop ALL
--ro-bind-try /usr /usr
--ro-bind-try /bin /bin
--ro-bind-try /sbin /sbin
--ro-bind-try /lib /lib
--ro-bind-try /lib32 /lib32
--ro-bind-try /lib64 /lib64
--ro-bind-try /libx32 /libx32
--ro-bind-try /etc /etc
--ro-bind-try /opt /opt
--ro-bind-try /nix /nix
--proc /proc
--dev /dev
--tmpfs /tmp
--tmpfs /run
--tmpfs /home
--ro-bind-try /run/current-system /run/current-system
--tmpfs /var/tmp
--tmpfs /home/ada
--ro-bind /dev/null /etc/shadow
--ro-bind-try /home/ada/.nvm /home/ada/.nvm
--bind /home/ada/app /home/ada/app
--bind /home/ada/app/.git /home/ada/app/.git
--ro-bind /home/ada/app/.vscode /home/ada/app/.vscode
--ro-bind /home/ada/app/.git/hooks /home/ada/app/.git/hooks
--remount-ro /
--chdir /home/ada/app/src
-- /bin/bash -c
-- ls; pwd`,
    )
  })

  test('T7 the network is shared only where it is allowed', () => {
    expect(bubblewrapArguments(confinement, call)).not.toContain('--share-net')
    const open = bubblewrapArguments({ ...confinement, network: true }, call)
    expect(open).toContain('--share-net')
    expect(open).toContain('/run/systemd/resolve')
  })

  test('T7 a home folder that is the workspace is shown, without its secrets', () => {
    const args = linesOf(
      bubblewrapArguments(
        {
          ...confinement,
          directory: '/home/ada',
          writable: ['/home/ada'],
          pinned: [],
          protected: [],
          secrets: [{ path: '/home/ada/.ssh', kind: 'folder' }],
        },
        call,
      ),
    )
    expect(args).toContain('--tmpfs /home\n')
    expect(args).not.toContain('--tmpfs /home/ada\n')
    expect(args).toContain('--bind /home/ada /home/ada\n--tmpfs /home/ada/.ssh')
  })

  test('T7 a workspace that is the whole disk lies below the read-only system', () => {
    const args = linesOf(bubblewrapArguments({ ...confinement, writable: ['/'] }, call))
    expect(args.indexOf('--bind / /')).toBeLessThan(args.indexOf('--ro-bind-try /usr'))
    expect(args).not.toContain('--remount-ro')
  })
})

describe('Seatbelt', () => {
  test('T7 the profile denies by default, and says last what must not be overruled', () => {
    expect(seatbeltProfile({ ...confinement, homes: ['/Users'] })).toBe(
      `(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-read*)
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (subpath "/dev/fd"))
(deny file-read-data file-write* (subpath "/Users"))
(allow file-read* (subpath "/home/ada/.nvm") (subpath "/home/ada/app"))
(allow file-write* (subpath "/private/tmp") (subpath "/private/var/tmp") (subpath "/private/var/folders") (subpath "/home/ada/app"))
(deny file-write* (subpath "/home/ada/app/.git/hooks") (subpath "/home/ada/app/.vscode"))
(deny file-write-unlink (literal "/home/ada/app/.git"))
(deny file-read* file-write* (subpath "/etc/shadow"))`,
    )
  })

  test('T7 the profile allows the network only where it is allowed', () => {
    expect(seatbeltProfile(confinement)).not.toContain('network')
    expect(seatbeltProfile({ ...confinement, network: true })).toContain('(allow network*)')
  })

  test('T7 no folder name can add a rule to the profile', () => {
    const profile = seatbeltProfile({ ...confinement, writable: ['/w/a") (subpath "/', '/w/b\\'] })
    expect(profile).toContain(String.raw`(subpath "/w/a\") (subpath \"/") (subpath "/w/b\\")`)
  })
})

describe('confinement', () => {
  const plan = (request: Partial<Parameters<typeof planConfinement>[0]>) =>
    planConfinement({
      directory: '/w',
      network: false,
      writable: ['/w'],
      paths: { pinned: [], protected: [] },
      home: '/nowhere',
      searchPath: '',
      ...request,
    })

  test('T7 of a home folder only toolchains are shown, and never all of it for a program in its bin', () => {
    const home = temporaryFolder({ '.nvm/a': '', '.ssh/id': '', '.gitconfig': '', 'bin/tool': '' })
    const { homes, readable, secrets } = plan({
      home: home.path,
      searchPath: `${home.at('bin')}:/usr/bin:rel`,
    })
    expect(homes).toContain(home.path)
    expect(readable).toEqual([home.at('.nvm'), home.at('.gitconfig'), home.at('bin')])
    expect(secrets.map(({ path }) => path)).not.toContain(home.at('.ssh'))
  })

  test('T7 of a toolchain outside of home, what lies beside its bin is shown too', () => {
    const tools = temporaryFolder({ 'jdk/bin/java': '', 'jdk/lib/rt': '' })
    expect(plan({ searchPath: `${tools.at('jdk/bin')}:/opt/x/bin:/bin` }).readable).toEqual([tools.at('jdk')])
  })

  test('T7 a PATH that names the home folder does not show it', () => {
    const home = temporaryFolder({ tool: '' })
    expect(plan({ home: home.path, searchPath: `${home.path}:/home:/root` }).readable).toEqual([])
  })

  test('T7 a home that is the whole disk is not hidden as a whole', () => {
    expect(plan({ home: '/' }).homes).not.toContain('/')
  })

  test('T7 secrets in an opened home folder are found, also behind a link', () => {
    const home = temporaryFolder({ 'dot/ssh/id': '', '.netrc': '', '.config/mutsumi/config.json': '' })
    home.link('.ssh', home.at('dot/ssh'))
    const { secrets } = plan({ home: home.path, writable: [home.path] })
    expect(secrets.filter(({ path }) => path.startsWith(home.path))).toEqual([
      { path: home.at('dot/ssh'), kind: 'folder' },
      { path: home.at('.netrc'), kind: 'file' },
      { path: home.at('.config/mutsumi'), kind: 'folder' },
    ])
  })
})

describe('protected paths', () => {
  const hold = (...roots: string[]) => holdProtectedPaths({ roots, home: '/nowhere' })
  const watch = (...roots: string[]) => watchProtectedPaths({ roots, home: '/nowhere' })
  const names = (folder: TemporaryFolder, paths: readonly string[]) =>
    paths.map((path) => path.slice(folder.path.length + 1))

  test('T7 stand-ins hold the place of what is missing, until the last command is done', () => {
    const folder = temporaryFolder({ '.git/HEAD': '', '.mutsumi/notes': '' })
    const first = hold(folder.path)
    const second = hold(folder.path)
    const held = ['.vscode', '.husky', '.mutsumi/config.json', '.git/hooks', '.git/config']
    expect(names(folder, first.protected)).toEqual(held)
    expect(second.protected).toEqual(first.protected)
    expect(names(folder, first.pinned)).toEqual(['.mutsumi', '.git'])
    expect(statSync(folder.at('.git/config')).isFile()).toBe(true)
    first.release()
    expect(existsSync(folder.at('.vscode'))).toBe(true)
    second.release()
    expect(held.filter((name) => existsSync(folder.at(name)))).toEqual([])
  })

  test('T7 a stand-in that someone has filled is theirs, and told of', () => {
    const folder = temporaryFolder({ '.git/HEAD': '' })
    const held = hold(folder.path)
    folder.write({ '.vscode/settings.json': '{}', '.git/config': '[core]' })
    expect(names(folder, held.release().changed)).toEqual(['.vscode', '.git/config'])
    expect(existsSync(folder.at('.vscode/settings.json'))).toBe(true)
    expect(readFileSync(folder.at('.git/config'), 'utf8')).toBe('[core]')
  })

  test('T7 the list of the gate is held where it is there: start-up files, hooks, settings of tools', () => {
    const present = [
      '.bashrc',
      '.npmrc',
      '.envrc',
      '.husky/pre-commit',
      '.config/fish/config.fish',
      '.ssh/config',
    ]
    const folder = temporaryFolder(Object.fromEntries(present.map((name) => [name, ''])))
    const held = hold(folder.path)
    held.release()
    const wanted = ['.bashrc', '.npmrc', '.envrc', '.husky', '.config/fish', '.ssh', '.vscode', '.mutsumi']
    expect(names(folder, held.protected).sort()).toEqual(wanted.sort())
  })

  test('T7 a repository by another name is held: kept apart, shared by work trees, bare', () => {
    const folder = temporaryFolder({
      ...repositoryAt('stores/main'),
      'stores/main/worktrees/side/commondir': '../..',
      'stores/main/worktrees/side/HEAD': '',
      'side/.git': 'gitdir: ../stores/main/worktrees/side\n',
      '.git': 'gitdir: stores/main\n',
      ...repositoryAt('pool/bare.git'),
    })
    const held = hold(folder.path)
    held.release()
    const found = names(folder, held.protected).filter((name) => name.includes('/') || name === '.git')
    expect(found.sort()).toEqual([
      '.git',
      'pool/bare.git/config',
      'pool/bare.git/hooks',
      'side/.git',
      'stores/main/config',
      'stores/main/hooks',
      'stores/main/worktrees/side/commondir',
    ])
    expect(names(folder, held.pinned).sort()).toEqual([
      'pool/bare.git',
      'stores',
      'stores/main',
      'stores/main/worktrees',
      'stores/main/worktrees/side',
    ])
  })

  test('T7 what a config names is held: folders of hooks, further configs, the config of one work tree', () => {
    const folder = temporaryFolder({
      ...repositoryAt('.git'),
      '.git/config': '[core]\n\thooksPath = "tools/hooks" # ours\n[include] path = ../shared/config\n',
      'shared/config': '[Extensions]\nworktreeConfig = true\n[core "x"]\nHooksPath = more\n',
      'tools/hooks/pre-commit': '',
    })
    const held = hold(folder.path)
    expect(existsSync(folder.at('more'))).toBe(true)
    held.release()
    expect(existsSync(folder.at('more'))).toBe(false)
    expect(names(folder, held.protected)).toEqual(
      expect.arrayContaining(['tools/hooks', 'more', 'shared/config']),
    )
    expect(names(folder, held.pinned)).toEqual(expect.arrayContaining(['tools', 'shared']))
  })

  test('T7 a config of one work tree cannot be made where git would read it', () => {
    const folder = temporaryFolder({
      ...repositoryAt('.git'),
      '.git/config': '[extensions]\nworktreeConfig=true',
    })
    const held = hold(folder.path)
    expect(held.protected).toContain(folder.at('.git/config.worktree'))
    held.release()
    expect(existsSync(folder.at('.git/config.worktree'))).toBe(false)
  })

  test('T7 a config that names the workspace itself does not stop all work', () => {
    const folder = temporaryFolder({ ...repositoryAt('.git'), '.git/config': '[core]\nhooksPath = .\n' })
    const held = hold(folder.path)
    held.release()
    expect(held.protected).not.toContain(folder.path)
  })

  test('T7 a file that calls a folder of sources, or of hooks, a repository changes nothing', () => {
    const folder = temporaryFolder({
      'a/.git': 'gitdir: ../src',
      'src/config': '',
      '.husky/_/h': '',
      'b/.git': 'gitdir: ../.husky/_',
      ...repositoryAt('.husky/_'),
    })
    const held = hold(folder.path)
    held.release()
    expect(names(folder, held.protected)).not.toContain('src/config')
    expect(names(folder, held.pinned)).toEqual([])
  })

  test('T7 repositories and settings below are held at any depth, but not what packages bring', () => {
    const folder = temporaryFolder({
      'sub/.git/config': '',
      'a/.vscode/tasks.json': '',
      'a/.npmrc': '',
      'node_modules/x/.git/config': '',
      'a/b/c/d/e/f/.git/config': '',
    })
    const held = hold(folder.path)
    held.release()
    const below = names(folder, held.protected).filter((name) => name.includes('/'))
    expect(below.sort()).toEqual([
      ...['a/.npmrc', 'a/.vscode', 'a/b/c/d/e/f/.git/config', 'a/b/c/d/e/f/.git/hooks'],
      ...['sub/.git/config', 'sub/.git/hooks'],
    ])
    expect(held).toMatchObject({ complete: true, pinned: expect.arrayContaining([folder.at('sub/.git')]) })
    expect(existsSync(folder.at('sub/.git/hooks'))).toBe(false)
  })

  test('T7 the search is bounded and says so; the nearest come first', () => {
    const folder = temporaryFolder({ 'a/b/c/d/.npmrc': '', 'z/.npmrc': '' })
    const limited = searchFolders(folder.path, 4)
    expect(limited).toMatchObject({ complete: false, marked: [{ path: folder.at('z') }] })
    expect(searchFolders(folder.path, 6)).toMatchObject({ complete: true })
  })

  test('T7 a search sees what was made since the last one, whatever times it bears', async () => {
    const folder = temporaryFolder({ 'a/b/x': '' })
    // So old that what was seen of it is remembered.
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(searchFolders(folder.path).marked).toEqual([])
    const { atime, mtime } = statSync(folder.at('a/b'))
    folder.write({ 'a/b/.envrc': '' })
    utimesSync(folder.at('a/b'), atime, mtime)
    expect(searchFolders(folder.path).marked).toMatchObject([{ path: folder.at('a/b'), names: ['.envrc'] }])
  })

  test('T7 the stand-in of another command is no change', () => {
    const folder = temporaryFolder()
    const before = watch(folder.path)
    const other = hold(folder.path)
    expect(existsSync(folder.at('.vscode'))).toBe(true)
    expect(before.release()).toEqual({ changed: [], setAside: [] })
    other.release()
  })

  test('T7 without a sandbox what is changed is told, and nothing is moved', () => {
    const folder = temporaryFolder({ '.git/config': '' })
    expect(watch(folder.path).release().changed).toEqual([])
    const before = watch(folder.path)
    folder.write({ '.git/commondir': '/elsewhere', '.vscode/x': '' })
    expect(names(folder, before.release().changed)).toEqual(['.vscode', '.git/commondir'])
    expect(existsSync(folder.at('.git/commondir'))).toBe(true)
  })

  test('T7 what could not be held is put back; what was in its place is set aside, not deleted', () => {
    const folder = temporaryFolder({ '.git/config': '', '.npmrc.set-aside': 'older' })
    folder.link('.git/hooks', '../hooks')
    const held = hold(folder.path)
    rmSync(folder.at('.git/hooks'))
    folder.write({ '.git/hooks/pre-commit': 'evil', '.git/commondir': '../evil', '.npmrc': 'evil' })
    const { changed, setAside } = held.release()
    expect(names(folder, setAside).sort()).toEqual(
      ['.npmrc.set-aside-2', '.git/hooks.set-aside', '.git/commondir.set-aside'].sort(),
    )
    expect(names(folder, changed)).toEqual(expect.arrayContaining(['.git/hooks', '.git/commondir', '.npmrc']))
    expect(readlinkSync(folder.at('.git/hooks'))).toBe('../hooks')
    expect(existsSync(folder.at('.git/commondir')) || existsSync(folder.at('.npmrc'))).toBe(false)
    expect(readFileSync(folder.at('.npmrc.set-aside'), 'utf8')).toBe('older')
  })

  test('T7 a pipe in the place of a config keeps nobody waiting', () => {
    const folder = temporaryFolder()
    for (const name of ['.git/config', '.git/commondir', 'a/.git']) folder.pipe(name)
    hold(folder.path).release()
  })
})

describe('detection', () => {
  test('T7 a machine without a sandbox says why, in one line', async () => {
    expect(await detectSandbox({ platform: 'win32' })).toEqual({
      kind: 'none',
      reason: 'there is no sandbox for win32',
    })
    const missing = await detectSandbox({ platform: 'linux', programs: ['/nowhere/bwrap'] })
    expect(missing).toEqual({ kind: 'none', reason: 'bubblewrap (bwrap) is not installed' })
    expect(describeSandbox(missing)).toBe(
      'none (bubblewrap (bwrap) is not installed): every command asks first',
    )
  })

  test('T7 a sandbox that is installed and does not work is none', async () => {
    const broken = await detectSandbox({ platform: 'linux', programs: ['/bin/false'] })
    expect(broken).toMatchObject({ kind: 'none', reason: expect.stringContaining('does not work here') })
    expect(describeSandbox(broken)).not.toContain('\n')
  })

  test('T7 a sandbox that works is described by what it keeps', () => {
    expect(describeSandbox({ kind: 'bubblewrap', program: '/usr/bin/bwrap' })).toMatch(
      /^bubblewrap .*workspace/,
    )
    expect(describeSandbox({ kind: 'seatbelt', program: '/usr/bin/sandbox-exec' })).toMatch(/^Seatbelt /)
  })
})
