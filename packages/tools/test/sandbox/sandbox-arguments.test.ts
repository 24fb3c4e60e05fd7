import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bubblewrapArguments } from '../../src/sandbox/bubblewrap.js'
import { findProtected } from '../../src/sandbox/find-protected.js'
import { planConfinement } from '../../src/sandbox/plan-confinement.js'
import { changesBetween, protectedState } from '../../src/sandbox/protected-changes.js'
import type { Confinement } from '../../src/sandbox/sandbox.js'
import { searchFolders } from '../../src/sandbox/search-folders.js'
import { seatbeltProfile } from '../../src/sandbox/seatbelt.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

const confinement: Confinement = {
  directory: '/home/ada/app/src',
  network: false,
  isRoot: false,
  writable: ['/home/ada/app'],
  pinned: ['/home/ada/app/.git'],
  protected: ['/home/ada/app/.git/hooks', '/home/ada/app/.vscode'],
  absent: ['/home/ada/app/.envrc'],
  homes: ['/home/ada', '/home'],
  links: new Map(),
  readable: ['/home/ada/.nvm'],
  secrets: [{ path: '/etc/shadow', kind: 'file' }],
  denied: [{ path: '/home/ada/app/private', kind: 'folder' }],
}

const call = { program: '/bin/bash', args: ['-c', '--', 'ls; pwd'] }

/** The files that make a repository for git. */
function repositoryAt(folder: string): Record<string, string> {
  return { [`${folder}/HEAD`]: 'ref: refs/heads/main', [`${folder}/objects/x`]: '', [`${folder}/refs/x`]: '' }
}

/** What is pinned in a repository besides the folder itself. */
const pinnedParts = ['COMMIT_EDITMSG', 'FETCH_HEAD', 'logs', 'objects', 'refs']

/** One option a line, as one would write it in a shell script. */
function linesOf(args: readonly string[]): string {
  return args.join(' ').replaceAll(' --', '\n--')
}

describe('bubblewrap', () => {
  test('T7 the arguments show the system read-only, the workspace writable, and nothing of home', () => {
    expect(linesOf(bubblewrapArguments(confinement, call))).toBe(
      `--unshare-all
--unshare-user
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
--proc /proc
--dev /dev
--tmpfs /tmp
--tmpfs /run
--tmpfs /home
--ro-bind-try /nix/store /nix/store
--ro-bind-try /run/current-system /run/current-system
--tmpfs /var/tmp
--tmpfs /home/ada
--ro-bind /dev/null /etc/shadow
--ro-bind-try /home/ada/.nvm /home/ada/.nvm
--bind /home/ada/app /home/ada/app
--ro-bind-try /nix/var/nix/profiles /nix/var/nix/profiles
--bind /home/ada/app/.git /home/ada/app/.git
--ro-bind /home/ada/app/.vscode /home/ada/app/.vscode
--perms 0000
--tmpfs /home/ada/app/private
--ro-bind /home/ada/app/.git/hooks /home/ada/app/.git/hooks
--remount-ro /proc
--remount-ro /home/ada/app/private
--remount-ro /
--chdir /home/ada/app/src
-- /bin/bash -c
-- ls; pwd`,
    )
  })

  test('T7 root is another user inside', () => {
    expect(linesOf(bubblewrapArguments({ ...confinement, isRoot: true }, call))).toContain(
      '--uid 65534\n--gid 65534\n',
    )
  })

  test('T7 the network is shared only if it is allowed', () => {
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

  test('T7 a folder of the system that is a link stays a link, unless the workspace is the whole disk', () => {
    const links = new Map([['/bin', 'usr/bin']])
    const args = linesOf(bubblewrapArguments({ ...confinement, links }, call))
    expect(args).toContain('--symlink usr/bin /bin\n')
    expect(args).not.toContain('--ro-bind-try /bin')
    const open = linesOf(bubblewrapArguments({ ...confinement, links, writable: ['/'] }, call))
    expect(open).toContain('--ro-bind-try /bin /bin\n')
  })

  test('T7 a path that a read-only mount shows already is not mounted again, unless something hidden lies between', () => {
    const readable = ['/data', '/data/tools/bin', '/data/ada/tools/bin']
    const args = linesOf(bubblewrapArguments({ ...confinement, homes: ['/data/ada'], readable }, call))
    expect(args).toContain('--ro-bind-try /data /data\n')
    expect(args).not.toContain('/data/tools/bin')
    expect(args).toContain('--tmpfs /data/ada\n')
    expect(args).toContain('--ro-bind-try /data/ada/tools/bin /data/ada/tools/bin\n')
  })

  test('T7 if the workspace is the whole disk, the system stays read-only', () => {
    const args = linesOf(bubblewrapArguments({ ...confinement, writable: ['/'] }, call))
    expect(args.indexOf('--bind / /')).toBeLessThan(args.indexOf('--ro-bind-try /usr'))
    expect(args).not.toContain('--remount-ro /\n')
  })
})

describe('Seatbelt', () => {
  test('T7 the profile denies by default, and puts rules that must not be overridden last', () => {
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
(deny file-write* (subpath "/home/ada/app/.git/hooks") (subpath "/home/ada/app/.vscode") (subpath "/home/ada/app/.envrc"))
(deny file-write-unlink (literal "/home/ada/app/.git"))
(deny file-read* file-write* (subpath "/etc/shadow") (subpath "/home/ada/app/private"))`,
    )
  })

  test('T7 the profile includes the network only if it is allowed', () => {
    expect(seatbeltProfile(confinement)).not.toContain('network')
    expect(seatbeltProfile({ ...confinement, network: true })).toContain('(allow network*)')
  })

  test('Z4 the profile hides sessions, and Z3 keeps our own files', () => {
    const folder = temporaryFolder({
      'notes/chat.mtm': '',
      '.mutsumi/sessions/go.mtm': '',
      'node_modules/@mutsumi/cli/x': '',
    })
    const own = folder.at('node_modules/@mutsumi')
    const paths = findProtected([folder.path], '/nowhere', { own: [own] })
    const profile = seatbeltProfile(
      planConfinement({
        ...{ directory: folder.path, network: false, writable: [folder.path] },
        ...{ paths, home: '/nowhere', searchPath: '' },
      }),
    )
    const lineWith = (start: string) => profile.split('\n').findLast((line) => line.startsWith(start))
    expect(lineWith('(deny file-write* ')).toContain(`(subpath "${own}")`)
    expect(lineWith('(deny file-write-unlink')).toContain(`(literal "${folder.at('notes')}")`)
    for (const name of ['notes/chat.mtm', '.mutsumi/sessions'])
      expect(lineWith('(deny file-read* file-write*')).toContain(`(subpath "${folder.at(name)}")`)
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
      paths: { pinned: [], protected: [], absent: [] },
      home: '/nowhere',
      searchPath: '',
      ...request,
    })

  test('T7 only toolchains of a home folder are visible, and never all of it because of a program in its bin', () => {
    const home = temporaryFolder({ '.nvm/a': '', '.ssh/id': '', '.gitconfig': '', 'bin/tool': '' })
    const { homes, readable, secrets } = plan({
      home: home.path,
      searchPath: `${home.at('bin')}:/usr/bin:rel`,
    })
    expect(homes).toContain(home.path)
    expect(readable).toEqual([home.at('.nvm'), home.at('.gitconfig'), home.at('bin')])
    expect(secrets.map(({ path }) => path)).not.toContain(home.at('.ssh'))
  })

  test('T7 for a toolchain outside the home folder, the folders beside its bin are visible too', () => {
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

  test('T7 secrets in an opened home folder are found, even through a link', () => {
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
  const find = (...roots: string[]) => findProtected(roots, '/nowhere')
  const names = (folder: TemporaryFolder, paths: readonly string[]) =>
    paths.map((path) => path.slice(folder.path.length + 1))

  test('T7 nothing is created on disk for missing files', () => {
    const folder = temporaryFolder({ 'a/b': '', '.mutsumi/notes': '' })
    expect(names(folder, find(folder.path).protected)).toEqual(['.mutsumi'])
    expect(readdirSync(folder.path)).toEqual(['.mutsumi', 'a'])
  })

  test('T7 a repository gets the folders that git init makes, once, and nothing else', () => {
    const folder = temporaryFolder(repositoryAt('.git'))
    expect(names(folder, find(folder.path).protected)).toEqual(['.git/hooks', '.git/info'])
    expect(readdirSync(folder.at('.git')).sort()).toEqual([
      ...['COMMIT_EDITMSG', 'FETCH_HEAD', 'HEAD', 'hooks', 'info', 'logs', 'objects', 'refs'],
    ])
    expect(find(folder.path)).toEqual(find(folder.path))
  })

  test('T7 existing places on the gate’s list are protected: start-up files, hooks, settings of tools', () => {
    const present = [
      ...['.bashrc', '.npmrc', '.envrc', '.husky/pre-commit', '.config/fish/config.fish', '.ssh/config'],
      ...['.claude/settings.json', '.mcp.json', '.yarn/releases/yarn.cjs', 'a.code-workspace', '.idea/x'],
    ]
    const folder = temporaryFolder(Object.fromEntries(present.map((name) => [name, ''])))
    const wanted = [
      ...['.bashrc', '.npmrc', '.envrc', '.husky', '.config/fish', '.ssh'],
      ...['.claude', '.mcp.json', '.yarn/releases', 'a.code-workspace', '.idea'],
    ]
    expect(names(folder, find(folder.path).protected).sort()).toEqual(wanted.sort())
  })

  test('T7 a repository under another name is protected: separate, shared by work trees, bare', () => {
    const folder = temporaryFolder({
      ...repositoryAt('stores/main'),
      'stores/main/config': '',
      'stores/main/worktrees/side/commondir': '../..',
      'stores/main/worktrees/side/HEAD': '',
      'side/.git': 'gitdir: ../stores/main/worktrees/side\n',
      '.git': 'gitdir: stores/main\n',
      ...repositoryAt('pool/bare.git'),
    })
    const found = find(folder.path)
    expect(names(folder, found.protected).sort()).toEqual([
      '.git',
      'pool/bare.git/hooks',
      'pool/bare.git/info',
      'side/.git',
      'stores/main/config',
      'stores/main/hooks',
      'stores/main/info',
      'stores/main/worktrees/side/commondir',
    ])
    expect(names(folder, found.pinned).sort()).toEqual([
      'pool',
      'pool/bare.git',
      ...pinnedParts.map((name) => `pool/bare.git/${name}`),
      'side',
      'stores',
      'stores/main',
      ...pinnedParts.map((name) => `stores/main/${name}`),
      'stores/main/worktrees',
      'stores/main/worktrees/side',
    ])
  })

  test('T7 each submodule is protected like a repository; too many are protected as one', () => {
    const folder = temporaryFolder({ ...repositoryAt('.git'), ...repositoryAt('.git/modules/libs/z') })
    const { pinned, gitFolders, ...found } = find(folder.path)
    expect(names(folder, found.protected)).toContain('.git/modules/libs/z/hooks')
    const repositories = ['', '/modules/libs/z'].flatMap((name) => [name, `${name}/objects`, `${name}/refs`])
    expect(names(folder, pinned).sort()).toEqual(
      [...repositories, ...['/COMMIT_EDITMSG', '/FETCH_HEAD', '/logs', '/modules', '/modules/libs']]
        .map((name) => `.git${name}`)
        .sort(),
    )
    expect(names(folder, gitFolders)).toEqual(['.git', '.git/modules/libs/z'])
    for (let number = 0; number < 20; number++) folder.write(repositoryAt(`.git/modules/m${number}`))
    expect(names(folder, find(folder.path).protected)).toEqual(['.git/hooks', '.git/info', '.git/modules'])
  })

  test('T7 places that a config names are protected: hook folders, further configs, the config of one work tree', () => {
    const folder = temporaryFolder({
      ...repositoryAt('.git'),
      '.git/config': '[core]\n\thooksPath = "tools/hooks" # ours\n[include] path = ../shared/config\n',
      'shared/config': '[core "x"]\nHooksPath = more\n',
      'tools/hooks/pre-commit': '',
      'more/pre-commit': '',
    })
    const held = find(folder.path)
    expect(names(folder, held.protected)).toEqual(
      expect.arrayContaining(['tools/hooks', 'more', 'shared/config']),
    )
    expect(names(folder, held.pinned)).toEqual(expect.arrayContaining(['tools', 'shared']))
  })

  test('T7 the config of one work tree is protected where git would read it', () => {
    const folder = temporaryFolder({
      ...repositoryAt('.git'),
      '.git/config': '[extensions]\nworktreeConfig=true',
      '.git/worktrees/side/commondir': '../..\n',
      '.git/worktrees/side/HEAD': '',
    })
    for (const name of ['.git/config.worktree', '.git/worktrees/side/config.worktree'])
      expect(find(folder.path).protected).toContain(folder.at(name))
    expect(statSync(folder.at('.git/config.worktree')).size).toBe(0)
  })

  test('T7 a config that names the workspace itself does not stop all work', () => {
    const folder = temporaryFolder({ ...repositoryAt('.git'), '.git/config': '[core]\nhooksPath = .\n' })
    expect(find(folder.path).protected).not.toContain(folder.path)
  })

  test('T7 a file that declares a folder of sources or hooks to be a repository changes nothing', () => {
    const folder = temporaryFolder({
      'a/.git': 'gitdir: ../src',
      'src/config': '',
      '.husky/_/h': '',
      'b/.git': 'gitdir: ../.husky/_',
      ...repositoryAt('.husky/_'),
    })
    const held = find(folder.path)
    expect(names(folder, held.protected)).not.toContain('src/config')
    expect(names(folder, held.pinned).sort()).toEqual(['a', 'b'])
  })

  test('T7 repositories and settings are protected at any depth, and in packages only in their top folder', () => {
    const folder = temporaryFolder({
      'sub/.git/config': '',
      'a/.vscode/tasks.json': '',
      'a/.npmrc': '',
      'node_modules/x/.git/config': '',
      'node_modules/@scope/y/.npmrc': '',
      'node_modules/x/deep/.npmrc': '',
      'a/b/c/d/e/f/.git/config': '',
    })
    const held = find(folder.path)
    expect(names(folder, held.protected).sort()).toEqual([
      ...['a/.npmrc', 'a/.vscode', 'a/b/c/d/e/f/.git/config', 'node_modules/@scope/y/.npmrc'],
      ...['node_modules/x/.git/config', 'sub/.git/config'],
    ])
    expect(held).toMatchObject({ complete: true, pinned: expect.arrayContaining([folder.at('sub/.git')]) })
    expect(existsSync(folder.at('sub/.git/hooks'))).toBe(false)
  })

  test('T7 the search is bounded and says so; the nearest folders come first, packages last', () => {
    const folder = temporaryFolder({ 'a/b/c/d/.npmrc': '', 'z/.npmrc': '', 'node_modules/x/.npmrc': '' })
    const limited = searchFolders(folder.path, { limit: 4 })
    expect(limited).toMatchObject({ complete: false, marked: [{ path: folder.at('z') }] })
    const almost = searchFolders(folder.path, { limit: 6 })
    expect(almost).toMatchObject({
      complete: false,
      marked: [{ path: folder.at('z') }, { path: folder.at('a/b/c/d') }],
    })
    expect(searchFolders(folder.path, { limit: 8 })).toMatchObject({ complete: true })
  })

  test('T7 a place that was found once stays found, however many folders are added', () => {
    const folder = temporaryFolder({ 'z/deep/.npmrc': '', 'z/other/x': '' })
    expect(searchFolders(folder.path, { limit: 4 })).toMatchObject({ complete: true })
    for (let number = 0; number < 5; number++) folder.write({ [`a${number}/x`]: '' })
    const again = () => searchFolders(folder.path, { limit: 4 })
    for (let times = 0; times < 2; times++)
      expect(again()).toMatchObject({ complete: false, marked: [{ path: folder.at('z/deep') }] })
    rmSync(folder.at('z/deep'), { recursive: true })
    expect(again()).toMatchObject({ complete: false, marked: [] })
  })

  test('T7 packages are searched after each command, and known before the next', () => {
    const folder = temporaryFolder({ 'node_modules/x/a': '', 'src/a': '' })
    const marks = (packages: 'look' | 'as-known') => searchFolders(folder.path, { packages }).marked.length
    expect(marks('as-known')).toBe(0)
    folder.write({ 'node_modules/x/.npmrc': '' })
    expect(marks('as-known')).toBe(0)
    expect(marks('look')).toBe(1)
    expect(marks('as-known')).toBe(1)
  })

  test('T7 a workspace that is a package is searched like any other', () => {
    const folder = temporaryFolder({
      'node_modules/me/src/deep/.npmrc': '',
      'node_modules/me/node_modules/y/z/.npmrc': '',
    })
    const { marked } = searchFolders(folder.at('node_modules/me'))
    expect(marked.map(({ path }) => path)).toEqual([folder.at('node_modules/me/src/deep')])
  })

  test('T7 a search sees new files, whatever their times', async () => {
    const folder = temporaryFolder({ 'a/b/x': '' })
    // So old that what was seen of it is remembered.
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(searchFolders(folder.path).marked).toEqual([])
    const { atime, mtime } = statSync(folder.at('a/b'))
    folder.write({ 'a/b/.envrc': '' })
    utimesSync(folder.at('a/b'), atime, mtime)
    expect(searchFolders(folder.path).marked).toMatchObject([{ path: folder.at('a/b'), names: ['.envrc'] }])
  })

  test('T7 a new, missing or different file is a change; a commit is not', () => {
    const folder = temporaryFolder({
      ...repositoryAt('.git'),
      '.git/config': '',
      '.npmrc': 'a',
      '.zshrc': '',
    })
    const before = protectedState(find(folder.path))
    folder.write({ '.git/index': 'x', '.git/HEAD': 'y', '.mutsumi/sessions/a.mtm': '' })
    rmSync(folder.at('.zshrc'))
    folder.write({ '.npmrc': 'longer', '.git/commondir': '/elsewhere', 'a/.vscode/x': '' })
    expect(names(folder, changesBetween(before, protectedState(find(folder.path)))).sort()).toEqual(
      ['.git/commondir', '.mutsumi', '.npmrc', '.zshrc', 'a/.vscode'].sort(),
    )
    const now = protectedState(find(folder.path))
    folder.write({ '.mutsumi/sessions/b.mtm': '', '.git/index': 'z' })
    expect(changesBetween(now, protectedState(find(folder.path)))).toEqual([])
  })

  test('T7 a pipe instead of a config does not block', () => {
    const folder = temporaryFolder()
    for (const name of ['.git/config', '.git/commondir', 'a/.git']) folder.pipe(name)
    expect(find(folder.path).complete).toBe(true)
  })
})
