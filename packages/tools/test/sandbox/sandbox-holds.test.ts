import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.js'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { systemCallFilter } from '../../src/sandbox/system-call-filter.js'
import { type BashCall, bash } from '../support/bash-call.js'
import { bashHostProgram, ordinaryUser, startBashHost } from '../support/bash-host.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const absent = sandbox.kind !== 'bubblewrap'
const isRoot = process.getuid?.() === 0

if (sandbox.kind === 'none') console.warn(`skipped: what bubblewrap keeps in (${sandbox.reason})`)

const confined = (folder: string, command: string, call: BashCall = {}) =>
  bash(folder, command, { sandbox, ...call })

/**
 * Whether this machine has a program. One below the home folder of somebody else, such as a shim of pyenv, may need files
 * there that nobody can see inside.
 */
function has(program: string): boolean {
  try {
    const path = execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()
    const isOwn = path.startsWith(`${process.env.HOME}/`)
    return isOwn || !/^\/(?:root|home|Users)\//.test(path)
  } catch {
    // It is not installed.
    return false
  }
}

/** A bubblewrap with something done before: a shell script. */
function programThat(does: string): string {
  const { at, write } = temporaryFolder()
  const real = sandbox.kind === 'bubblewrap' ? sandbox.program : '/bin/false'
  write({ bwrap: `#!/bin/sh\n${does}\nexec ${real} "$@"\n` })
  chmodSync(at('bwrap'), 0o755)
  return at('bwrap')
}

const author = '-c user.name=Ada -c user.email=ada@example.org'

/** All names below a folder, but for what git keeps of its own. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^\.git\//.test(name))
    .sort()
}

describe('the machine (needs bubblewrap)', () => {
  test.skipIf(absent)('T7 nothing in /proc can be written, by any user', async () => {
    const { path } = temporaryFolder()
    // Opened to append nothing: where the sandbox fails, the machine stays as it is.
    const command = `find /proc -maxdepth 4 -type f -path '/proc/[!0-9]*' 2>/dev/null |
      while read -r file; do (: >> "$file") 2>/dev/null && echo "$file"; done; true`
    expect((await confined(path, command)).text).toBe('(no output)')
  })

  test.skipIf(absent || !isRoot)('T7 root is another user inside, without capabilities', async () => {
    const { path } = temporaryFolder()
    const { text } = await confined(path, 'id -u; id -un; grep CapEff /proc/self/status; touch made')
    expect(text).toBe('65534\nnobody\nCapEff:\t0000000000000000\n')
    expect(existsSync(`${path}/made`)).toBe(true)
  })

  test.skipIf(absent || !isRoot)('T7 files that the kernel shows only to root are not shown', async () => {
    const { path } = temporaryFolder()
    const { text } = await confined(path, 'head -c1 /proc/kcore /proc/timer_list /proc/keys')
    expect(text).not.toMatch(/^==>/m)
  })

  test.skipIf(absent)('T7 no command can make a user namespace', async () => {
    const { path } = temporaryFolder()
    const { text, data } = await confined(path, 'unshare --user --map-root-user id -u')
    expect(data, text).not.toMatchObject({ exit_code: 0 })
  })

  test.skipIf(absent || systemCallFilter() === undefined || !has('python3'))(
    'T7 a filter refuses calls that namespaces do not separate: VSOCK, keys, BPF, typing into a terminal',
    async () => {
      const { path } = temporaryFolder()
      writeFileSync(`${path}/try.py`, attempts)
      const { text } = await confined(path, 'grep ^Seccomp: /proc/self/status; python3 try.py')
      expect(text).toBe(
        `Seccomp:\t2
vsock 97
alg 97
packet 97
inet 0
unix 0
netlink 0
keyctl 1
bpf 1
perf 1
unshare-user 1
mount 1
io-uring 38
setuid by chmod 1
setgid by chmod 1
setuid by open 1
setuid by a file without a name 1
plain modes 0
tiocsti 1
`,
      )
    },
  )

  test('T7 for a processor with unknown system calls there is no filter, rather than a wrong one', () => {
    expect(systemCallFilter('riscv64')).toBeUndefined()
    expect(systemCallFilter('x64')?.length).toBeGreaterThan(400)
    expect(systemCallFilter('x64')).not.toEqual(systemCallFilter('arm64'))
  })

  test.skipIf(absent || !isRoot)('T7 a sandbox that leaves the kernel writable does not count', async () => {
    const program = programThat(`for argument; do
  shift
  if [ "$argument" = /proc ] && [ "$before" = --remount-ro ]; then argument=/; fi
  set -- "$@" "$argument"
  before=$argument
done`)
    expect(await detectSandbox({ platform: 'linux', programs: [program] })).toMatchObject({
      kind: 'none',
      reason: 'bubblewrap (bwrap) does not work here: it leaves /proc/sys/kernel/core_pattern writable',
    })
  })

  test.skipIf(absent)('T7 an older bubblewrap that cannot switch user namespaces off is used', async () => {
    const program = programThat(
      'case " $* " in *" --disable-userns "*) echo "bwrap: Unknown option" >&2; exit 1;; esac',
    )
    const older = await detectSandbox({ platform: 'linux', programs: [program] })
    expect(older).toEqual({ kind: 'bubblewrap', program, leavesUserNamespaces: true })
    const { path } = temporaryFolder()
    const { data } = await confined(path, 'unshare --user --map-root-user id -u', { sandbox: older })
    expect(data).not.toMatchObject({ exit_code: 0 })
  })
})

const attempts = `
import ctypes, fcntl, os, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
x64 = platform.machine() == 'x86_64'
def family(name, number):
    try:
        socket.socket(number, socket.SOCK_RAW if number == 16 else socket.SOCK_STREAM).close()
        print(name, 0)
    except OSError as error:
        print(name, error.errno)
def call(name, number, *args):
    ctypes.set_errno(0)
    libc.syscall(number, *args)
    print(name, ctypes.get_errno())
for name, number in [('vsock', 40), ('alg', 38), ('packet', 17), ('inet', 2), ('unix', 1), ('netlink', 16)]:
    family(name, number)
call('keyctl', 250 if x64 else 219, 0, -3, 0)
call('bpf', 321 if x64 else 280, 0, 0, 0)
call('perf', 298 if x64 else 241, 0, 0, 0, 0, 0)
call('unshare-user', 272 if x64 else 97, 0x10000000)
call('mount', 165 if x64 else 40, 0, 0, 0, 0, 0)
call('io-uring', 425, 1, 0)
def file(name, act):
    try:
        act()
        print(name, 0)
    except OSError as error:
        print(name, error.errno)
open('program', 'w').close()
file('setuid by chmod', lambda: os.chmod('program', 0o4755))
file('setgid by chmod', lambda: os.chmod('program', 0o2755))
file('setuid by open', lambda: os.open('other', os.O_CREAT | os.O_WRONLY, 0o4755))
file('setuid by a file without a name', lambda: os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o4755))
file('plain modes', lambda: (os.chmod('program', 0o1755), os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o755), os.open('third', os.O_CREAT | os.O_WRONLY, 0o755)))
try:
    fcntl.ioctl(0, 0x5412, b'x')
except OSError as error:
    print('tiocsti', error.errno)
`

describe('two agents in one workspace (needs bubblewrap)', () => {
  test.skipIf(absent)('T7 killing one disturbs neither the other nor the disk', async () => {
    const folder = temporaryFolder({ 'src/a.txt': 'a', '.mutsumi/config.json': '{}' })
    execFileSync('git', ['init', '-q', '.'], { cwd: folder.path })
    const before = filesBelow(folder.path)
    const program = await bashHostProgram()
    const [killed, other] = await Promise.all([
      startBashHost(program, { folder }),
      startBashHost(program, { folder }),
    ])
    const lost = killed.run('echo $$ > first; sleep 60').catch((error: Error) => error.message)
    const held = other.run(
      `echo > second; until [ -e go ]; do sleep 0.05; done
       for name in .mutsumi/config.json .git/config .git/hooks/x; do (echo x > $name) 2>/dev/null && echo wrote $name; done
       git add -A && git ${author} commit -qm two && echo committed`,
    )
    const isAtWork = () => ['first', 'second'].every((name) => existsSync(folder.at(name)))
    expect(await eventually(isAtWork, 20_000)).toBe(true)
    expect(filesBelow(folder.path)).toEqual([...before, 'first', 'second'].sort())
    killed.process.kill('SIGKILL')
    expect(await lost).toContain('SIGKILL')
    writeFileSync(folder.at('go'), '')
    const result = await held
    expect(result).toMatchObject({ status: 'success', text: 'committed\n' })
    expect(result.data).not.toHaveProperty('protected_changed')
    expect(filesBelow(folder.path)).toEqual([...before, 'first', 'go', 'second'].sort())
    expect(readFileSync(folder.at('.mutsumi/config.json'), 'utf8')).toBe('{}')
    const third = await startBashHost(program, { folder })
    expect(await third.run('cat .mutsumi/config.json')).toMatchObject({ status: 'success', text: '{}' })
  })

  test.skipIf(absent)('T7 a command dies with the agent that started it', async () => {
    const folder = temporaryFolder()
    const host = await startBashHost(await bashHostProgram(), { folder })
    const lost = host.run('while :; do date +%N > beat; sleep 0.05; done').catch(() => undefined)
    expect(await eventually(() => existsSync(folder.at('beat')), 20_000)).toBe(true)
    host.process.kill('SIGKILL')
    await lost
    const read = () => readFileSync(folder.at('beat'), 'utf8')
    await new Promise((resolve) => setTimeout(resolve, 500))
    const last = read()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(read()).toBe(last)
    expect(readdirSync(folder.path)).toEqual(['beat'])
  })
})

/** Everyday commands; each line must succeed. */
const everyday = {
  git: [
    'git init -q -b main . && git config user.name Ada && git config user.email ada@example.org',
    'echo a > a.txt && git add -A && git commit -qm one',
  ],
  'git branch, merge, rebase, stash': [
    'git switch -q -c topic && echo b > b.txt && git add -A && git commit -qm topic',
    'git switch -q main && echo c > c.txt && git add -A && git commit -qm main',
    'git rebase -q main topic && git switch -q main && git merge -q --no-ff --no-edit topic',
    'echo dirty > a.txt && git stash -q && git stash pop -q && git checkout -q a.txt',
    'git tag v1 && git reset -q --hard HEAD~1 && git reset -q --hard v1 && git gc -q && git status -s',
    'git cherry-pick --allow-empty --keep-redundant-commits HEAD -m 1 && git log --oneline | wc -l',
  ],
  'git worktree, a commit in a submodule, a clone': [
    'git worktree add -q side && cd side && echo d > d.txt && git add -A && git commit -qm side',
    'git worktree list && git -C side status -s',
    'cd part && echo e > e.txt && git add -A && git commit -qm part && cd .. && git submodule status',
    'git clone -q . copy && git -C copy fetch -q && rm -rf copy',
  ],
  node: [
    `node -e "require('fs').writeFileSync('n', String(require('os').cpus().length > 0))"`,
    `node -e "new (require('worker_threads').Worker)('process.exit(0)', { eval: true })"`,
    `node -e "console.log(require('child_process').execSync('echo hi').toString(), require('os').userInfo().username)"`,
  ],
  npm: [
    'mkdir -p local && cd local && npm init -y >/dev/null && cd .. && npm init -y >/dev/null',
    'npm install --offline --no-audit --no-fund ./local && npm pkg set scripts.test="node -e 0"',
    'npm test && npm run test --silent && test -e node_modules/local',
  ],
  python3: [`python3 -c "import subprocess, tempfile, socket; subprocess.run(['true'], check=True)"`],
  make: [`printf 'all:\\n\\techo built > built\\n' > Makefile && make -s -j2 && test -e built`],
  gcc: [`printf 'int main(void){return 0;}' > m.c && gcc m.c -o m && ./m`],
} as const

describe.each([
  ['the user who runs the tests', undefined],
  ['an ordinary user', ordinaryUser],
] as const)('everyday work of %s (needs bubblewrap)', (_, user) => {
  const isImpossible = absent || (user !== undefined && !isRoot)

  test.skipIf(isImpossible)(
    'T7 works inside: git, node, npm, python3, make, gcc',
    async () => {
      const folder = temporaryFolder()
      const host = await startBashHost(await bashHostProgram(), {
        folder,
        ...(user !== undefined && { user }),
      })
      if (user !== undefined) expect(host.process.pid).toBeGreaterThan(0)
      for (const [name, lines] of Object.entries(everyday)) {
        if (!has(name.split(/[ ,]/)[0] ?? '')) continue
        if (name.includes('submodule')) addSubmodule(folder.path, user)
        for (const line of lines) {
          const result = await host.run(line)
          expect(result, `${line}\n${result.text}`).toMatchObject({ data: { exit_code: 0 } })
        }
      }
    },
    240_000,
  )

  test.skipIf(isImpossible)('T7 is refused only for protected places', async () => {
    const folder = temporaryFolder()
    const host = await startBashHost(await bashHostProgram(), { folder, ...(user !== undefined && { user }) })
    expect((await host.run('git init -q . && (: >> /proc/sys/kernel/core_pattern)')).status).toBe('partial')
    expect((await host.run('echo x > .git/hooks/pre-commit')).status).toBe('partial')
    expect((await host.run('echo x > file')).status).toBe('success')
  })
})

/** As the user would, outside: a new submodule is written into the repository's config. */
function addSubmodule(folder: string, user: number | undefined): void {
  const who = user === undefined ? {} : { uid: user, gid: user }
  const part = temporaryFolder({ 'x.txt': 'x' })
  const run = (cwd: string, line: string) =>
    execFileSync('/bin/sh', ['-c', line], {
      cwd,
      ...who,
      env: { ...process.env, HOME: folder },
      stdio: 'pipe',
    })
  execFileSync('chown', ['-R', String(user ?? process.getuid?.()), part.path])
  run(part.path, `git init -q . && git add -A && git ${author} commit -qm x`)
  run(folder, `git -c protocol.file.allow=always submodule --quiet add ${part.path} part`)
  run(folder, `git -C part config user.name Ada && git -C part config user.email a@example.org`)
  run(folder, `git ${author} commit -qm submodule`)
}
