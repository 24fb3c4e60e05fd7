import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.js'
import { createBashTool } from '../../src/bash/bash.js'
import { write } from '../../src/change/write.js'
import type { ToolEvent } from '../../src/contract/define-tool.js'
import { createToolRunner } from '../../src/contract/tool-runner.js'
import {
  type PermissionAnswer,
  PermissionGate,
  type PermissionQuestion,
} from '../../src/permission/permission-gate.js'
import { parsePermissionRule } from '../../src/permission/permission-rule.js'
import { protectedNames } from '../../src/protected/protected-paths.js'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { takenOutFolder } from '../../src/sandbox/take-out.js'
import { Workspace } from '../../src/workspace/workspace.js'
import { type BashCall, bash, unsandboxed } from '../support/bash-call.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const machines = sandbox.kind === 'none' ? [unsandboxed] : [sandbox, unsandboxed]

/** Where a path of the workspace lies now. */
function liesAt({ data }: ToolResult, path: string): string {
  const [folder] = data.taken_out_to as string[]
  return join(folder ?? '', path)
}

const author = '-c user.name=Ada -c user.email=ada@example.org'

function shell(folder: TemporaryFolder, line: string): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }
  execFileSync('/bin/sh', ['-c', line], { cwd: folder.path, stdio: 'ignore', env })
}

/** Runs a command with a gate, and answers its question about what the command made. */
function guarded(
  folder: string,
  command: string,
  { allow = [], deny = [], answer }: { allow?: string[]; deny?: string[]; answer?: PermissionAnswer } = {},
) {
  const questions: PermissionQuestion[] = []
  const parsed = (texts: string[]) =>
    texts.flatMap((text) => {
      const read = parsePermissionRule(text)
      return read.kind === 'rule' ? [read.rule] : []
    })
  const gate = new PermissionGate({
    root: folder,
    rules: [{ allow: parsed(allow), deny: parsed(deny) }],
    ...(answer !== undefined && {
      ask: async (question: PermissionQuestion) => {
        questions.push(question)
        return answer
      },
    }),
  })
  const runner = createToolRunner({
    workspace: new Workspace({ root: folder }),
    tools: [createBashTool({ sandbox, mode: 'off' })],
    permit: () => ({ granted: true }),
    permitLeft: gate.permitLeft,
  })
  return runner
    .run({ name: 'Bash', args: { command } }, { allowed: [folder] })
    .then((result) => ({ ...result, questions }))
}

describe.each(machines)('what a command plants ($kind)', (machine) => {
  const inside = (folder: TemporaryFolder, command: string, call: BashCall = {}) =>
    bash(folder.path, command, { sandbox: machine, ...call })

  test('Z5 every protected name, at the top and below, is moved to the user’s own folder', async () => {
    const folder = temporaryFolder({ 'sub/deep/x': '' })
    const names = protectedNames.map((sequence) => sequence.join('/')).filter((name) => name !== '.git')
    const files = [...names, 'x.code-workspace', 'sub/deep/.npmrc', 'sub/.VSCode', 'new/.envrc']
    const line = files.map((name) => `mkdir -p "$(dirname '${name}')"; echo planted > '${name}'`).join('\n')
    const events: ToolEvent[] = []
    const result = await inside(folder, line, { onEvent: (event) => events.push(event) })
    expect(result).toMatchObject({ status: 'error', error: { code: 'PERMISSION_DENIED' } })
    expect(result.data.taken_out).toHaveLength(100)
    expect(readdirSync(liesAt(result, '')).length).toBeGreaterThan(100)
    for (const name of files) expect(existsSync(folder.at(name)), name).toBe(false)
    expect(readFileSync(liesAt(result, 'sub/deep/.npmrc'), 'utf8')).toBe('planted\n')
    expect(statSync(takenOutFolder(folder.path)).mode & 0o777).toBe(0o700)
    expect(events).toMatchObject([{ type: 'warning', warning: { code: 'taken-out', source: 'Bash' } }])
  })

  test('Z5 the result says what was taken out, where it lies and how to allow it', async () => {
    const folder = temporaryFolder()
    const result = await inside(folder, 'mkdir .vscode; echo {} > .vscode/tasks.json; echo done; exit 3')
    expect(result.text).toContain('it made .vscode')
    expect(result.text).toContain(liesAt(result, ''))
    expect(result.text).toContain(`--allow 'Write(.vscode/**)'`)
    expect(result.text).toContain('(exit code 3)')
    expect(result.data).toMatchObject({ exit_code: 3, output: 'done\n', taken_out: ['.vscode'] })
  })

  test('Z5 beside a session only what Mutsumi itself makes there stays, and nothing else is called so', async () => {
    const folder = temporaryFolder({ 'chat.mtm': '', 'notes/talk.mtm': '' })
    const time = '20261118T210000000Z'
    const planted = [
      ...['chat.mtm.code-workspace', 'chat.mtm.mtm', 'chat.mtm.forged.mtm', 'chat.mtm.sublime-project'],
      ...[`chat.rescued-${time}.mtm`, 'none.mtm.code-workspace', 'none.mtm.lock', 'notes/talk.mtm~'],
    ]
    const made = ['chat.mtm.lock', 'chat.mtm.lock.0a1b~', `chat.lost-${time}`, `notes/talk.mtm.bak-${time}`]
    const line = [...planted, ...made, 'chat.mtm.index'].map((name) => `echo forged > ${name}`)
    const events: ToolEvent[] = []
    const { data } = await inside(
      folder,
      `${line.join('; ')}; mkdir chat.mtm.d; ln -s chat.mtm notes/talk.mtm.lock`,
      {
        onEvent: (event) => events.push(event),
      },
    )
    expect(data.taken_out).toEqual([...planted, 'notes/talk.mtm.lock'].sort())
    for (const name of planted) expect(existsSync(folder.at(name)), name).toBe(false)
    for (const name of [...made, 'chat.mtm.d']) expect(existsSync(folder.at(name)), name).toBe(true)
    // It could say something else about the session than its lines.
    expect(existsSync(folder.at('chat.mtm.index'))).toBe(false)
    expect(events.map((event) => event.type === 'warning' && event.warning.code)).toEqual(['taken-out'])
  })

  test('Z5 no mode of a folder, no size and no link protects it', async () => {
    const folder = temporaryFolder({ 'a/x': '', 'home/x': 'mine' })
    const line = [
      'mkdir -p a/.idea/in b/c/.vscode d; echo x > a/.idea/in/y; echo x > b/c/.vscode/tasks.json',
      'truncate -s 3G d/.envrc; ln -s ../home d/.claude; ln home/x d/.yarnrc; mkfifo d/.zshrc',
      'ln -s home .config; chmod 555 a a/.idea a/.idea/in; chmod 000 b/c b; chmod 555 .',
    ].join('; ')
    const { data } = await inside(folder, line)
    chmodSync(folder.path, 0o755)
    const wanted = ['a/.idea', 'b/c/.vscode', 'd/.claude', 'd/.envrc', 'd/.yarnrc', 'd/.zshrc']
    expect(data.taken_out).toEqual(wanted)
    expect(statSync(folder.at('a')).mode & 0o777).toBe(0o555)
    expect(statSync(folder.at('b')).mode & 0o777).toBe(0o000)
    for (const name of ['a', 'b', 'b/c']) chmodSync(folder.at(name), 0o755)
    for (const name of wanted) expect(existsSync(folder.at(name)), name).toBe(false)
    expect(readFileSync(folder.at('home/x'), 'utf8')).toBe('mine')
    const lies = join((data.taken_out_to as string[])[0] ?? '', 'd')
    expect(readlinkSync(join(lies, '.claude'))).toBe('../home')
    chmodSync(join(lies, '../a/.idea'), 0o755)
    chmodSync(join(lies, '../a/.idea/in'), 0o755)
  })

  test('Z5 through a link on the way nothing outside the workspace is moved', async () => {
    const outside = temporaryFolder({ 'git/config': 'mine', 'fish/config.fish': 'mine' })
    const folder = temporaryFolder()
    const { data } = await inside(folder, `ln -s ${outside.path} .config`)
    expect(data.taken_out).toEqual(['.config'])
    expect(readdirSync(outside.path).sort()).toEqual(['fish', 'git'])
  })

  test('Z5 thousands of names in many folders are taken out, and the next command runs', async () => {
    const folder = temporaryFolder()
    const line = 'seq -f "f%g/.vscode" 600 | xargs mkdir -p; seq -f "f%g/.npmrc" 600 | xargs touch'
    const result = await inside(folder, line)
    const { data } = result
    expect(result).toMatchObject({ error: { message: expect.stringContaining('(+1180)') } })
    expect(data.taken_out).toHaveLength(100)
    const left = readdirSync(folder.path).flatMap((name) => readdirSync(folder.at(name)))
    expect(left).toEqual([])
    expect(await inside(folder, 'echo next')).toMatchObject({ status: 'success' })
  })

  test('Z5 files that packages ship are taken out, and the command that installed them does not fail', async () => {
    const folder = temporaryFolder()
    const line = 'mkdir -p node_modules/x/.vscode node_modules/@s/y; echo > node_modules/@s/y/.npmrc'
    const result = await inside(folder, line)
    expect(result).toMatchObject({
      status: 'success',
      data: { taken_out: ['node_modules/@s/y/.npmrc', 'node_modules/x/.vscode'] },
    })
    expect(readdirSync(folder.at('node_modules/x'))).toEqual([])
  })

  test('Z5 a repository in a package that runs something fails the command', async () => {
    const folder = temporaryFolder()
    const line = `git init -q node_modules/x; printf '[core]\\n\\tfsmonitor = touch ran\\n' >> node_modules/x/.git/config`
    expect((await inside(folder, line)).data).toMatchObject({
      taken_out: ['node_modules/x/.git'],
    })
  })

  test('Z5 a repository as git makes it stays, one that runs or follows something is taken out whole', async () => {
    const folder = temporaryFolder({ 'src/a': 'a' })
    const fair = `git init -q fair; git init -q --bare bare.git; git init -q src; cd src; git add a
      git ${author} commit -qm one; git worktree add -q ../side; cd ..; git clone -q src copy`
    const first = await inside(folder, fair)
    expect(first, first.text).toMatchObject({ status: 'success' })
    expect(first.data).not.toHaveProperty('taken_out')
    const unfair = {
      alternates: 'git init -q alternates; echo /x > alternates/.git/objects/info/alternates',
      hooks: 'git init -q hooks; echo x > hooks/.git/hooks/pre-commit',
      link: 'git init -q link; ln -s /etc/passwd link/.git/COMMIT_EDITMSG',
      logs: 'git init -q logs; mkdir logs/.git/logs; ln -s /etc/passwd logs/.git/logs/HEAD',
      partial: 'mkdir -p partial/.git/hooks; echo x > partial/.git/hooks/pre-commit',
      pointer: 'mkdir pointer; echo gitdir: /tmp/evil > pointer/.git',
      linked: 'mkdir linked; ln -s ../src/.git linked/.git',
    }
    for (const [name, line] of Object.entries(unfair)) {
      const { data } = await inside(folder, line)
      expect(data.taken_out, name).toEqual([`${name}/.git`])
      expect(readdirSync(folder.at(name)), name).toEqual([])
    }
  })

  test('Z5 a folder of the user’s that becomes a repository stays, and what it hid is found', async () => {
    const folder = temporaryFolder({ 'app/package.json': '{}', 'app/src/a': '' })
    const line = 'git init -q --bare app; mkdir app/src/.vscode; echo {} > app/src/.vscode/tasks.json'
    const { data } = await inside(folder, line)
    expect(data.taken_out).toEqual(expect.arrayContaining(['app/HEAD', 'app/src/.vscode']))
    expect(readFileSync(folder.at('app/package.json'), 'utf8')).toBe('{}')
    expect(existsSync(folder.at('app/src/.vscode'))).toBe(false)
  })

  test('Z5 a branch with such files is checked out without them', async () => {
    const folder = temporaryFolder({ a: 'a' })
    shell(
      folder,
      `git init -q -b main . && git add a && git ${author} commit -qm one && git switch -qc other && mkdir .vscode &&
      echo {} > .vscode/tasks.json && git add -A && git ${author} commit -qm two && git switch -q main`,
    )
    const { data } = await inside(folder, 'git switch -q other')
    expect(data).toMatchObject({ exit_code: 0, taken_out: ['.vscode'] })
    expect(existsSync(folder.at('.vscode'))).toBe(false)
  })

  test('Z5 a folder that is moved in from elsewhere keeps everything else', async () => {
    const folder = temporaryFolder({ 'packed.tar': '' })
    shell(folder, 'mkdir -p in/deep/.cursor && echo x > in/deep/y && tar cf packed.tar in && rm -r in')
    const { data } = await inside(folder, 'mkdir /tmp/$$ && tar xf packed.tar -C /tmp/$$ && mv /tmp/$$/in .')
    expect(data.taken_out).toEqual(['in/deep/.cursor'])
    expect(readdirSync(folder.at('in/deep'))).toEqual(['y'])
  })

  test('Z5 files that Mutsumi itself writes meanwhile, at the user’s word, stay', async () => {
    const folder = temporaryFolder()
    const running = inside(folder, 'touch started; while [ ! -e go ]; do sleep 0.01; done; touch .envrc')
    expect(await eventually(() => existsSync(folder.at('started')), 20_000)).toBe(true)
    const writer = createToolRunner({
      workspace: new Workspace({ root: folder.path }),
      tools: [write],
      permit: () => ({ granted: true }),
    })
    const args: JsonObject = { path: '.vscode/settings.json', content: '{}' }
    expect(await writer.run({ name: 'Write', args }, { allowed: [folder.path] })).toMatchObject({
      status: 'success',
    })
    writeFileSync(folder.at('go'), '')
    expect((await running).data.taken_out).toEqual(['.envrc'])
    expect(existsSync(folder.at('.vscode/settings.json'))).toBe(true)
  })

  test('Z5 two commands at once: each plant is taken out, and nothing that was there before', async () => {
    const folder = temporaryFolder({ '.npmrc': 'old', 'a/.vscode/x': 'old' })
    const until = 'while [ ! -e go ]; do sleep 0.01; done'
    const running = ['one', 'two'].map((name) =>
      inside(folder, `mkdir -p ${name}/.vscode; touch ${name}-made; ${until}; mkdir -p ${name}/.idea`),
    )
    const made = () => ['one', 'two'].every((name) => existsSync(folder.at(`${name}-made`)))
    expect(await eventually(made, 20_000)).toBe(true)
    writeFileSync(folder.at('go'), '')
    await Promise.all(running)
    const left = (name: string) => readdirSync(folder.at(name)).sort()
    expect([left('one'), left('two'), left('a'), existsSync(folder.at('.npmrc'))]).toEqual([
      [],
      [],
      ['.vscode'],
      true,
    ])
  })
})

describe('what a command plants, and the gate', () => {
  const plant = 'mkdir .vscode; echo {} > .vscode/tasks.json'

  test('Z5 a rule that names the place leaves it, a wide rule and a rule for one file do not', async () => {
    const stays = async (allow: string[], command = plant) => {
      const folder = temporaryFolder()
      const { data, status } = await guarded(folder.path, command, { allow })
      expect(status === 'error').toBe(data.taken_out !== undefined)
      return existsSync(folder.at('.vscode'))
    }
    expect(await stays(['Write(.vscode/**)'])).toBe(true)
    expect(await stays(['Edit(.vscode/tasks.json)'])).toBe(true)
    expect(await stays(['Write', 'Write(**)'])).toBe(false)
    expect(await stays(['Write(.vscode/tasks.json)'], `${plant}; echo > .vscode/x`)).toBe(false)
    expect(await stays(['Write(.vscode/**)'], `${plant}; ln -s /etc .vscode/etc`)).toBe(false)
  })

  test('Z5 a denial beats the allowance, and nobody is asked', async () => {
    const folder = temporaryFolder()
    const rules = { allow: ['Write(.vscode/**)'], deny: ['Write(.vscode/tasks.json)'] }
    const { data, questions } = await guarded(folder.path, plant, { ...rules, answer: 'once' })
    expect(data.taken_out).toEqual(['.vscode'])
    expect(questions).toEqual([])
  })

  test('Z5 one question names everything; it is out meanwhile; a yes puts it back, a no does not', async () => {
    for (const answer of ['once', 'no'] as const) {
      const folder = temporaryFolder({ 'sub/x': '' })
      const { questions, data, status } = await guarded(
        folder.path,
        `${plant}; touch sub/.npmrc; chmod 555 sub`,
        {
          answer,
        },
      )
      expect(questions).toHaveLength(1)
      expect(questions[0]).toMatchObject({
        effect: 'write',
        touched: { paths: ['.vscode', 'sub/.npmrc'] },
        reason: expect.stringContaining('.vscode, sub/.npmrc'),
        lasting: [],
      })
      const isThere = ['.vscode/tasks.json', 'sub/.npmrc'].map((name) => existsSync(folder.at(name)))
      expect(isThere).toEqual(answer === 'once' ? [true, true] : [false, false])
      expect(status).toBe(answer === 'once' ? 'success' : 'error')
      expect(data.taken_out).toEqual(answer === 'once' ? undefined : ['.vscode', 'sub/.npmrc'])
      expect(statSync(folder.at('sub')).mode & 0o777).toBe(0o555)
      chmodSync(folder.at('sub'), 0o755)
    }
  })
})

describe('on another disk', () => {
  const other = '/dev/shm'
  const isOther = existsSync(other) && lstatSync(other).dev !== lstatSync(takenOutParent()).dev

  test.skipIf(!isOther)(
    'Z5 nothing is copied: it stays on its disk, under a number, beside a list',
    async () => {
      const folder = mkdirIn(other)
      try {
        const { data } = await bash(
          folder,
          'mkdir sub .mutsumi; ln -s /tmp .mutsumi-taken-out; truncate -s 5G sub/.envrc; touch .mutsumi/config.json',
        )
        expect(data.taken_out).toEqual(['.mutsumi', 'sub/.envrc'])
        const [place = ''] = data.taken_out_to as string[]
        expect(place).toContain(join(folder, '.mutsumi-taken-out-'))
        expect(readFileSync(join(place, 'list.txt'), 'utf8')).toBe('1\t.mutsumi\n2\tsub/.envrc\n')
        expect(readdirSync(place).sort()).toEqual(['1', '2', 'list.txt'])
      } finally {
        execFileSync('rm', ['-rf', folder])
      }
    },
  )
})

function takenOutParent(): string {
  const folder = join(takenOutFolder('/'), '..')
  mkdirSync(folder, { recursive: true })
  return folder
}

function mkdirIn(parent: string): string {
  return execFileSync('mktemp', ['-d', join(parent, 'mutsumi-test-XXXXXX')], { encoding: 'utf8' }).trim()
}
