import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.js'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { type BashCall, bash } from '../support/bash-call.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const absent = sandbox.kind === 'none'

if (sandbox.kind === 'none') console.warn(`skipped: the tests of Bash in a sandbox (${sandbox.reason})`)

const confined = (folder: string, command: string, call: BashCall = {}) =>
  bash(folder, command, { sandbox, ...call })

/** A home folder of the test's own, outside the workspace. */
function homeWith(files: Record<string, string>) {
  const home = temporaryFolder(files)
  return { home, environment: { ...process.env, HOME: home.path } }
}

const author = '-c user.name=Ada -c user.email=ada@example.org'

const gitAsUser = { stdio: 'ignore', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } } as const

function git(folder: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: folder, ...gitAsUser })
}

/** The git commands that a shell prompt runs in every folder. Only the programs that git runs matter, not its answers. */
function lookAt(folder: string): void {
  spawnSync('git', ['status'], { cwd: folder, ...gitAsUser })
}

/** A work tree with one commit. */
function repository(files: Record<string, string> = {}) {
  const folder = temporaryFolder({ 'a.txt': 'content', ...files })
  git(folder.path, 'init', '-q', '.')
  git(folder.path, 'add', '-A')
  git(folder.path, ...author.split(' '), 'commit', '-qm', 'one')
  return folder
}

/** How many processes have just this command line. */
function processesThatAre(command: string): number {
  const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.trim() === command).length
}

describe('in a sandbox (needs bubblewrap or Seatbelt)', () => {
  test.skipIf(absent)(
    'T7 a command works in the workspace, and the result says in which sandbox',
    async () => {
      const folder = temporaryFolder({ 'a.txt': 'content' })
      const result = await confined(folder.path, 'cat a.txt > b.txt; cat b.txt; exit 4')
      expect(result).toMatchObject({
        text: 'content\n(exit code 4)',
        data: { sandbox: sandbox.kind, network: false, exit_code: 4, directory: '.' },
      })
      expect(readFileSync(folder.at('b.txt'), 'utf8')).toBe('content')
    },
  )

  test.skipIf(absent)('T7 git works: init, commit, and no trace of the sandbox in its status', async () => {
    const folder = temporaryFolder({ 'a.txt': 'content' })
    const first = await confined(folder.path, `git init -q . && git add -A && git ${author} commit -qm one`)
    expect(first.data).toMatchObject({ exit_code: 0, protected_changed: expect.arrayContaining(['.git']) })
    const command = `echo b > b.txt && git add -A && git ${author} commit -qm two && git ls-files && git status -s`
    const second = await confined(folder.path, command)
    expect(second).toMatchObject({ status: 'success', text: 'a.txt\nb.txt\n' })
    expect(second.data).not.toHaveProperty('protected_changed')
    expect(existsSync(folder.at('.vscode')) || existsSync(folder.at('.mutsumi'))).toBe(false)
  })

  test.skipIf(absent)('T7 nothing outside the workspace can be written', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder({ 'x.txt': 'old' })]
    const targets = [
      other.at('x.txt'),
      other.at('new'),
      '/etc/mutsumi-test',
      '/usr/mutsumi-test',
      '/mutsumi-test',
    ]
    for (const target of targets)
      expect((await confined(folder.path, `echo new > ${target}`)).status, target).toBe('partial')
    expect(readFileSync(other.at('x.txt'), 'utf8')).toBe('old')
    expect(targets.slice(1).filter((target) => existsSync(target))).toEqual([])
  })

  test.skipIf(absent)('T7 a link cannot be used to write outside the workspace', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder({ 'x.txt': 'old' })]
    folder.link('out', other.path)
    expect((await confined(folder.path, 'echo new > out/x.txt')).status).toBe('partial')
    expect(readFileSync(other.at('x.txt'), 'utf8')).toBe('old')
  })

  test.skipIf(absent)('T7 the temporary folder is private, and can be used', async () => {
    const folder = temporaryFolder()
    const name = `mutsumi-test-${process.pid}`
    expect(await confined(folder.path, `echo x > /tmp/${name} && cat $(mktemp) /tmp/${name}`)).toMatchObject({
      status: 'success',
      text: 'x\n',
    })
    expect(existsSync(`/tmp/${name}`)).toBe(false)
  })

  test.skipIf(absent)('T7 the secrets of the home folder cannot be read', async () => {
    const { home, environment } = homeWith({
      '.ssh/id_ed25519': 'leak',
      '.netrc': 'leak',
      '.nvm/tool': 'seen',
    })
    const { path } = temporaryFolder()
    const command = 'cat ~/.ssh/id_ed25519 ~/.netrc; ls -A ~; cat ~/.nvm/tool'
    const { text } = await confined(path, command, { environment })
    expect(text).not.toContain('leak')
    expect(text).toContain('seen')
    const opened = await confined(home.path, `${command}; echo x > ~/.ssh/authorized_keys`, { environment })
    expect(opened.text).not.toContain('leak')
    expect(opened.text).toContain('.ssh')
    expect(existsSync(home.at('.ssh/authorized_keys'))).toBe(false)
  })

  test.skipIf(absent)('T7 protected paths cannot be written, replaced or moved away', async () => {
    const folder = temporaryFolder({
      '.git/hooks/pre-commit': 'old',
      '.git/config': 'old',
      '.vscode/settings.json': 'old',
      '.mutsumi/config.json': 'old',
    })
    const attempts = [
      'echo new > .git/hooks/pre-commit',
      'echo new > .git/hooks/post-commit',
      'echo new > .git/config',
      'rm -f .git/config; echo new > .git/config',
      'rm -rf .git/hooks && mkdir .git/hooks',
      'mv .git elsewhere && mkdir -p .git/hooks',
      'mv .git/hooks elsewhere',
      'mv .vscode elsewhere',
      'echo new > .vscode/tasks.json',
      'echo new > .mutsumi/config.json',
      'mv .mutsumi elsewhere',
      'mount -o remount,rw,bind .git/hooks',
      'umount .git/hooks',
    ]
    for (const attempt of attempts)
      expect((await confined(folder.path, attempt)).status, attempt).toBe('partial')
    for (const name of [
      '.git/hooks/pre-commit',
      '.git/config',
      '.vscode/settings.json',
      '.mutsumi/config.json',
    ])
      expect(readFileSync(folder.at(name), 'utf8'), name).toBe('old')
  })

  test.skipIf(absent)('T7 the hooks and config of a repository within cannot be written', async () => {
    const folder = temporaryFolder({ 'libs/sub/a.txt': '' })
    git(folder.path, 'init', '-q', '--template=', 'libs/sub')
    const config = readFileSync(folder.at('libs/sub/.git/config'), 'utf8')
    const attempts = [
      'echo x > libs/sub/.git/config',
      'mkdir -p libs/sub/.git/hooks && echo x > libs/sub/.git/hooks/x',
      'mkdir -p libs/sub/.git/info && echo x > libs/sub/.git/info/attributes',
    ]
    for (const attempt of [...attempts, 'mv libs/sub/.git libs/sub/g', 'cd libs/sub && git config a.b c'])
      expect((await confined(folder.path, attempt)).data, attempt).not.toMatchObject({ exit_code: 0 })
    expect(readFileSync(folder.at('libs/sub/.git/config'), 'utf8')).toBe(config)
    expect(readdirSync(folder.at('libs/sub/.git/hooks'))).toEqual([])
    expect((await confined(folder.path, 'echo x > libs/sub/a.txt')).data).toMatchObject({ exit_code: 0 })
  })

  test.skipIf(absent)('T7 a command cannot make git use hooks and config from elsewhere', async () => {
    const folder = repository()
    const evil = 'cp -r .git evil; printf "[core]\\n\\tfsmonitor = touch $PWD/ran; false\\n" >> evil/config'
    const result = await confined(folder.path, `${evil}; echo ../evil > .git/commondir; sleep 30`)
    expect(result).toMatchObject({
      error: { code: 'PERMISSION_DENIED', message: expect.stringContaining('.git/commondir') },
      data: { protected_changed: ['.git/commondir'], taken_out: ['evil'] },
    })
    expect(existsSync(folder.at('.git/commondir'))).toBe(false)
    lookAt(folder.path)
    expect(existsSync(folder.at('ran'))).toBe(false)
  })

  test.skipIf(absent)(
    'T7 no command runs in a repository that already uses hooks from elsewhere',
    async () => {
      const folder = repository()
      folder.write({ '.git/commondir': '../elsewhere' })
      expect(await confined(folder.path, 'touch made')).toMatchObject({
        error: { code: 'PERMISSION_DENIED', message: expect.stringMatching(/commondir.*delete it/) },
      })
      expect(existsSync(folder.at('made'))).toBe(false)
    },
  )

  test.skipIf(absent)('T7 a pointer that ends with a space leads where git follows it', async () => {
    const folder = temporaryFolder({ 'store/x': '' })
    git(folder.path, 'init', '-q', '--separate-git-dir=store/main ', 'tree')
    expect(readFileSync(folder.at('tree/.git'), 'utf8')).toMatch(/main \n$/)
    const attempt = 'echo x > "store/main /hooks/pre-commit"'
    expect((await confined(folder.path, attempt)).data.exit_code).not.toBe(0)
  })

  test.skipIf(absent)('T7 a config of any length is read for the hooks that it names', async () => {
    const folder = repository({ 'late/pre-commit': 'old' })
    const filler = `# ${'x'.repeat(100)}\n`.repeat(5000)
    appendFileSync(folder.at('.git/config'), `${filler}[core]\n\thooksPath = late\n`)
    expect((await confined(folder.path, 'echo x > late/pre-commit')).data.exit_code).not.toBe(0)
  })

  test.skipIf(absent)('T7 nor in a linked work tree, where ordinary work still succeeds', async () => {
    const folder = repository()
    const outside = temporaryFolder()
    git(folder.path, 'worktree', 'add', '-q', 'side')
    git(folder.path, 'worktree', 'add', '-q', outside.at('other'))
    const commit = `echo x > side/x && cd side && git add x && git ${author} commit -qm side && git status -s`
    expect(await confined(folder.path, commit)).toMatchObject({ status: 'success', text: '(no output)' })
    for (const name of ['side', 'other']) {
      const attempts = [
        `echo ../evil > .git/worktrees/${name}/commondir`,
        `rm -f .git/worktrees/${name}/commondir`,
        `mv -T .git/worktrees/${name} .git/old`,
      ]
      for (const attempt of [...attempts, 'mv .git/worktrees .git/old', 'echo gitdir: ../evil > side/.git'])
        expect((await confined(folder.path, attempt)).data.exit_code, attempt).not.toBe(0)
    }
    const alone = repository()
    git(alone.path, 'worktree', 'add', '-q', outside.at('third'))
    expect((await confined(alone.path, 'mv .git/worktrees .git/old')).data.exit_code).not.toBe(0)
  })

  test.skipIf(absent)(
    'T7 a repository elsewhere, deep below or bare is protected like any other',
    async () => {
      const folder = temporaryFolder({ 'a/b/c/d/e/x': '', 'stores/x': '', 'pool/x': '' })
      git(folder.path, 'init', '-q', '--separate-git-dir=stores/main', '.')
      git(folder.path, 'init', '-q', 'a/b/c/d/e')
      git(folder.path, 'init', '-q', '--bare', 'pool/bare.git')
      const commit = `echo x > x && git add x && git ${author} commit -qm one`
      expect(await confined(folder.path, commit)).toMatchObject({ status: 'success' })
      for (const repository of ['stores/main', 'a/b/c/d/e/.git', 'pool/bare.git'])
        for (const part of ['hooks/pre-commit', 'config'])
          expect((await confined(folder.path, `echo x > ${repository}/${part}`)).data.exit_code).not.toBe(0)
      for (const attempt of ['mv stores old', 'mv stores/main old', 'rm .git', 'mv a/b/c/d/e/.git x'])
        expect((await confined(folder.path, attempt)).data.exit_code, attempt).not.toBe(0)
    },
  )

  test.skipIf(absent)(
    'T7 hooks that a link or a setting names are protected, and so is the link',
    async () => {
      const folder = repository({ 'githooks/pre-commit': 'old', 'tools/hooks/pre-commit': 'old' })
      rmSync(folder.at('.git/hooks'), { recursive: true })
      folder.link('.git/hooks', '../githooks')
      git(folder.path, 'config', 'core.hooksPath', 'tools/hooks')
      for (const name of ['githooks', 'tools/hooks'])
        expect((await confined(folder.path, `echo x > ${name}/pre-commit`)).data.exit_code, name).not.toBe(0)
      for (const attempt of ['mv tools old', 'rm .git/hooks', 'mv .git old'])
        expect((await confined(folder.path, attempt)).data.exit_code, attempt).not.toBe(0)
      expect(readlinkSync(folder.at('.git/hooks'))).toBe('../githooks')
      expect(readFileSync(folder.at('.git/hooks/pre-commit'), 'utf8')).toBe('old')
    },
  )

  test.skipIf(absent)('T7 the sandbox protects the same places as the gate, in any folder', async () => {
    const names = [
      ...[
        '.husky/pre-commit',
        '.envrc',
        '.npmrc',
        '.yarnrc.yml',
        '.pre-commit-config.yaml',
        '.mutsumi/rules/a.md',
      ],
      ...[
        '.claude/settings.json',
        '.mcp.json',
        '.cursor/mcp.json',
        '.codex/config.toml',
        '.gemini/settings.json',
      ],
      ...[
        '.idea/workspace.xml',
        '.devcontainer/devcontainer.json',
        'team.code-workspace',
        '.cargo/config.toml',
      ],
      ...['packages/app/.vscode/tasks.json', 'packages/app/.mcp.json', 'node_modules/x/.npmrc'],
    ]
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, 'old'])))
    const command = names.map((name) => `(echo x > ${name}) 2>/dev/null && echo wrote ${name}`).join('\n')
    expect((await confined(folder.path, `${command}\ntrue`)).text).toBe('(no output)')
    expect(names.filter((name) => readFileSync(folder.at(name), 'utf8') !== 'old')).toEqual([])
  })

  test.skipIf(absent)('Z5 a protected file that a command makes is taken out of the workspace', async () => {
    const folder = temporaryFolder({ 'a/b/x': '', '.vscode/settings.json': '' })
    const command = 'echo x > .envrc; mkdir -p .idea a/b/.claude; echo x > a/b/.claude/settings.json'
    const result = await confined(folder.path, command)
    expect(result).toMatchObject({
      error: { code: 'PERMISSION_DENIED' },
      data: { taken_out: ['.envrc', '.idea', 'a/b/.claude'] },
    })
    expect(readdirSync(folder.path).sort()).toEqual(['.vscode', 'a'])
    expect(readdirSync(folder.at('a/b'))).toEqual(['x'])
  })

  test.skipIf(absent)('Z5 a folder that is locked or full of folders hides nothing', async () => {
    const folder = repository()
    const command = `mkdir -p many && cd many && seq -f f%g 6000 | xargs mkdir && git init -q f5999 &&
      printf '[core]\\n\\tfsmonitor = x\\n' >> f5999/.git/config && chmod 555 f5999/.git f5999`
    const { data } = await confined(folder.path, command)
    expect(data).toMatchObject({
      exit_code: 0,
      taken_out: ['many/f5999/.git'],
    })
    expect(readdirSync(folder.at('many/f5999'))).toEqual([])
    expect(statSync(folder.at('many/f5999')).mode & 0o777).toBe(0o555)
    chmodSync(folder.at('many/f5999'), 0o755)
  })

  test.skipIf(absent)(
    'Z5 a repository with hooks or settings that a command makes is taken out',
    async () => {
      const folder = temporaryFolder({ 'src/a': '' })
      const setting = `printf '[core]\\n\\tfsmonitor = touch ran; false\\n'`
      const attempts = {
        'src/.git': `git init -q src && ${setting} >> src/.git/config`,
        '.git': `git init -q . && ${setting} > evil && git config include.path ../evil`,
        'src/bare': `git init -q --bare src/bare && ${setting} >> src/bare/config`,
        'two/.git': `git init -q two && echo x > two/.git/hooks/post-index-change`,
        'node_modules/x/.git': `git init -q node_modules/x && ${setting} >> node_modules/x/.git/config`,
        'big/.git': `git init -q big && yes '# xxxxxxx' | head -c 9000000 >> big/.git/config`,
      }
      for (const [name, attempt] of Object.entries(attempts)) {
        const { data } = await confined(folder.path, attempt)
        expect(data, attempt).toMatchObject({
          exit_code: 0,
          taken_out: expect.arrayContaining([name]),
        })
        expect(existsSync(folder.at(name))).toBe(false)
      }
    },
  )

  test.skipIf(absent)('T7 a repository as git makes it stays as it is', async () => {
    const folder = temporaryFolder({ 'src/a': 'a' })
    const command = [
      `git init -q src && cd src && git add a && git ${author} commit -qm one && cd ..`,
      'git clone -q src copy && git init -q --bare bare.git && git clone -q --separate-git-dir=store src apart',
      'git init -q . && git -c protocol.file.allow=always submodule --quiet add ./src part && git -C src worktree add -q ../side',
    ].join(' && ')
    const { data, text } = await confined(folder.path, command)
    expect(data, text).toMatchObject({ exit_code: 0 })
    const changed = [
      '.git',
      '.git/modules/part',
      'apart/.git',
      'bare.git',
      'copy/.git',
      'part/.git',
      'side/.git',
      'src/.git',
      'store',
    ]
    expect([...(data.protected_changed as string[])].sort()).toEqual(changed)
  })

  test.skipIf(absent)('T7 only the folders of the session can be written', async () => {
    const folder = temporaryFolder({ 'src/a': '', 'other/b': '' })
    const command = 'echo new > made; echo new > ../other/b'
    const call = { args: { directory: 'src' }, allowed: [folder.at('src')] }
    expect((await confined(folder.path, command, call)).status).toBe('partial')
    expect(existsSync(folder.at('src/made'))).toBe(true)
    expect(readFileSync(folder.at('other/b'), 'utf8')).toBe('')
  })

  test.skipIf(absent)(
    'T7 a session that names a protected path as its folder cannot write it either',
    async () => {
      const folder = temporaryFolder({ '.git/hooks/deep/a': '', '.git/config': '' })
      for (const directory of ['.git', '.git/hooks', '.git/hooks/deep']) {
        const call = { args: { directory }, allowed: [folder.at(directory)] }
        const command = `echo new > ${folder.at('.git/hooks/deep/made')}`
        expect((await confined(folder.path, command, call)).status, directory).toBe('partial')
      }
      expect(existsSync(folder.at('.git/hooks/deep/made'))).toBe(false)
    },
  )

  test.skipIf(absent)('T7 further folders that the user opened can be written', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()]
    const call = { roots: [other.path], allowed: [folder.path, other.path] }
    expect((await confined(folder.path, `echo new > ${other.at('x')}`, call)).status).toBe('success')
    expect(existsSync(other.at('x'))).toBe(true)
  })

  test.skipIf(absent)('T7 there is no network unless it is allowed', async () => {
    const { path } = temporaryFolder()
    let visits = 0
    const server = createServer((socket) => {
      visits += 1
      socket.on('error', () => undefined)
      socket.end('hello from outside\n')
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`
    expect((await confined(path, command)).status).toBe('partial')
    expect(visits).toBe(0)
    expect(await confined(path, command, { network: true })).toMatchObject({
      status: 'success',
      text: 'hello from outside\n',
      data: { network: true },
    })
  })

  test.skipIf(absent)('T7 a socket outside the workspace, such as Docker’s, cannot be reached', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()]
    const server = createServer((socket) => socket.end('hello from outside'))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(other.at('socket'), resolve))
    const program = `require('net').connect('${other.at('socket')}').on('error', () => process.exit(7)).pipe(process.stdout)`
    const visit = `'${process.execPath}' -e "${program}"`
    expect(await bash(folder.path, visit)).toMatchObject({ text: 'hello from outside' })
    expect((await confined(folder.path, visit)).data.exit_code).toBe(7)
    expect(await confined(folder.path, 'ls -A /run')).toMatchObject({
      text: expect.not.stringContaining('.sock'),
    })
  })

  test.skipIf(absent)('T7 neither processes outside nor their environment can be seen', async () => {
    const { path } = temporaryFolder()
    const { text } = await confined(path, `ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid} && echo seen`)
    expect(Number(text.split('\n')[0])).toBeLessThan(10)
    expect(text).not.toContain('seen')
  })

  /** True where a process that left the session and the group is there, and gone after the command's end. */
  async function setsidChildDies(seconds: string, end: { timeout?: number; abort?: boolean }) {
    const folder = temporaryFolder()
    const sleeper = `sleep ${seconds}.${process.pid}`
    const controller = new AbortController()
    const running = confined(folder.path, `setsid -f ${sleeper}; echo > started; sleep 50`, {
      args: { timeout_ms: end.timeout ?? 60_000 },
      signal: controller.signal,
    })
    const isThere = () => existsSync(folder.at('started')) && processesThatAre(sleeper) > 0
    expect(await eventually(isThere)).toBe(true)
    if (end.abort) controller.abort()
    expect((await running).status).toBe('error')
    return eventually(() => processesThatAre(sleeper) === 0)
  }

  const noNamespace = sandbox.kind !== 'bubblewrap'

  test.skipIf(noNamespace)('T7 a setsid child dies at the timeout (needs bubblewrap)', async () => {
    expect(await setsidChildDies('51', { timeout: 4000 })).toBe(true)
  })

  test.skipIf(noNamespace)('T7 a setsid child dies at a cancel (needs bubblewrap)', async () => {
    expect(await setsidChildDies('52', { abort: true })).toBe(true)
  })

  test.skipIf(absent)('T7 many commands at once do not disturb each other', async () => {
    const folder = temporaryFolder()
    const warnings: Error[] = []
    const hear = (warning: Error) => warnings.push(warning)
    process.on('warning', hear)
    onTestFinished(() => void process.off('warning', hear))
    const numbers = Array.from({ length: 12 }, (_, index) => index)
    const results = await Promise.all(
      numbers.map((number) =>
        confined(folder.path, `sleep 0.${number}; echo ${number}; echo ${number} > out-${number}`),
      ),
    )
    expect(results.map(({ text }) => text)).toEqual(numbers.map((number) => `${number}\n`))
    expect(results.filter(({ data }) => 'protected_changed' in data)).toEqual([])
    expect(readdirSync(folder.path).sort()).toEqual(numbers.map((number) => `out-${number}`).sort())
    expect(warnings).toEqual([])
  })

  test.skipIf(absent)('T7 a folder with an odd name is a workspace like any other', async () => {
    const outer = temporaryFolder()
    const odd = outer.at(' --bind "x" ünï\n$(touch y)')
    mkdirSync(odd)
    expect((await confined(odd, 'echo x > made')).status).toBe('success')
    expect(existsSync(`${odd}/made`)).toBe(true)
  })
})
