import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bubblewrapArguments } from '../src/sandbox/bubblewrap.js'
import { describeSandbox } from '../src/sandbox/describe-sandbox.js'
import { detectSandbox } from '../src/sandbox/detect-sandbox.js'
import {
  changedProtectedPaths,
  holdProtectedPaths,
  watchProtectedPaths,
} from '../src/sandbox/hold-protected-paths.js'
import { planConfinement } from '../src/sandbox/plan-confinement.js'
import type { Confinement } from '../src/sandbox/sandbox.js'
import { seatbeltProfile } from '../src/sandbox/seatbelt.js'
import { temporaryFolder } from './temporary-folder.js'

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
  test('T7 stand-ins hold the place of what is missing, until the last command is done', () => {
    const folder = temporaryFolder({ '.git/config': '', '.mutsumi/notes': '' })
    const first = holdProtectedPaths([folder.path])
    const second = holdProtectedPaths([folder.path])
    const names = ['.git/hooks', '.git/config', '.vscode', '.mutsumi/config.json']
    expect(first.protected).toEqual(names.map(folder.at))
    expect(second.protected).toEqual(first.protected)
    expect(first.pinned).toEqual([folder.at('.git'), folder.at('.mutsumi')])
    first.release()
    expect(existsSync(folder.at('.vscode'))).toBe(true)
    second.release()
    expect(names.filter((name) => existsSync(folder.at(name)))).toEqual(['.git/config'])
  })

  test('T7 a stand-in that someone has filled is theirs', () => {
    const folder = temporaryFolder()
    const held = holdProtectedPaths([folder.path])
    folder.write({ '.vscode/settings.json': '{}' })
    held.release()
    expect(existsSync(folder.at('.vscode/settings.json'))).toBe(true)
  })

  test('T7 a worktree, submodules and start-up files are protected where they are', () => {
    const folder = temporaryFolder({ 'a/.git': 'gitdir: /x', 'b/.git/modules/m/config': '', 'b/.bashrc': '' })
    const held = holdProtectedPaths([folder.at('a'), folder.at('b')])
    held.release()
    expect(held.protected.map((path) => path.slice(folder.path.length + 1))).toEqual([
      ...['a/.git', 'a/.vscode', 'a/.mutsumi'],
      ...['b/.git/hooks', 'b/.git/config', 'b/.git/modules', 'b/.vscode', 'b/.mutsumi', 'b/.bashrc'],
    ])
  })

  test('T7 repositories and editor settings within the workspace are protected too, as deep as is looked', () => {
    const folder = temporaryFolder({
      'sub/.git/config': '',
      'a/b/linked/.git': 'gitdir: ../../../.git/modules/m',
      'a/.vscode/tasks.json': '',
      'node_modules/x/.git/config': '',
      'a/b/c/d/e/.git/config': '',
    })
    const before = watchProtectedPaths([folder.path])
    const held = holdProtectedPaths([folder.path])
    const below = held.protected.map((path) => path.slice(folder.path.length + 1))
    held.release()
    expect(below.filter((path) => path.includes('/'))).toEqual([
      ...['a/.vscode', 'sub/.git/hooks', 'sub/.git/config', 'a/b/linked/.git'],
    ])
    expect(held.pinned).toContain(folder.at('sub/.git'))
    expect(existsSync(folder.at('sub/.git/hooks'))).toBe(false)
    folder.write({ 'sub/.git/hooks/pre-commit': '' })
    expect(changedProtectedPaths(before)).toEqual([folder.at('sub/.git/hooks')])
  })

  test('T7 the stand-in of another command is no change', () => {
    const folder = temporaryFolder()
    const before = watchProtectedPaths([folder.path])
    const other = holdProtectedPaths([folder.path])
    expect(existsSync(folder.at('.vscode'))).toBe(true)
    expect(changedProtectedPaths(before)).toEqual([])
    other.release()
  })

  test('T7 what cannot be held is watched', () => {
    const folder = temporaryFolder({ '.git/config': '' })
    const before = watchProtectedPaths([folder.path])
    expect(changedProtectedPaths(before)).toEqual([])
    writeFileSync(folder.at('.git/commondir'), '/elsewhere')
    mkdirSync(folder.at('.vscode'))
    expect(changedProtectedPaths(before)).toEqual([folder.at('.git/commondir'), folder.at('.vscode')])
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
