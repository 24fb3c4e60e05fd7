import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../../../../test/support/bundle-program.js'
import { eventually } from '../../../../test/support/eventually.js'
import { createBashTool } from '../../src/bash/bash.js'
import { commandEnvironment, safeSearchPath } from '../../src/bash/bash-environment.js'
import { CommandOutput } from '../../src/bash/bash-output.js'
import type { ToolEvent } from '../../src/contract/define-tool.js'
import { createToolRunner } from '../../src/contract/tool-runner.js'
import { createSessionMemory } from '../../src/session-memory/session-memory.js'
import { Workspace } from '../../src/workspace/workspace.js'
import { bash, isRunning, unsandboxed } from '../support/bash-call.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

describe('output that cannot be stored', () => {
  test('T9 does not fail the command, and Recall still has it', async () => {
    const folder = temporaryFolder({ file: '' })
    const memory = createSessionMemory({ folder: folder.at('file/below') })
    const result = await bash(folder.path, 'seq 1 20000', { memory })
    expect(result).toMatchObject({ status: 'partial', data: { exit_code: 0, truncated: true } })
    expect(memory.observations.find(String(result.data.observation_id))).toMatch(/^1\n2\n.*\n20000\n$/s)
  })

  test('T7 a listener that throws does not stop the command', async () => {
    const folder = temporaryFolder()
    const onEvent = () => expect.fail('on purpose')
    expect(await bash(folder.path, 'echo a; echo b >&2', { onEvent })).toMatchObject({
      status: 'success',
      data: { exit_code: 0 },
    })
  })
})

describe('a command', () => {
  test('T7 gives its output, its exit code and which sandbox it ran in', async () => {
    const { path } = temporaryFolder()
    expect(await bash(path, 'echo hello')).toMatchObject({ status: 'success', text: 'hello\n' })
    expect((await bash(path, 'echo hello')).data).toEqual({
      directory: '.',
      output: 'hello\n',
      exit_code: 0,
      signal: null,
      duration_ms: expect.any(Number),
      truncated: false,
      sandbox: 'none',
      network: true,
    })
    expect(await bash(path, 'true')).toMatchObject({ status: 'success', text: '(no output)' })
  })

  test('T7 that fails is a partial result with its exit code and stderr', async () => {
    const { path } = temporaryFolder()
    expect(await bash(path, 'echo out; sleep 0.3; printf oops >&2; exit 3')).toMatchObject({
      status: 'partial',
      text: 'out\noops\n(exit code 3)',
      data: { exit_code: 3, signal: null, output: 'out\noops' },
    })
    expect(await bash(path, 'no-such-program')).toMatchObject({ status: 'partial', data: { exit_code: 127 } })
  })

  test('T7 that a signal ended names the signal', async () => {
    const { path } = temporaryFolder()
    expect(await bash(path, 'kill -KILL $$')).toMatchObject({
      status: 'partial',
      text: '(no output)\n(exit code 137, SIGKILL)',
      data: { exit_code: 137, signal: 'SIGKILL' },
    })
  })

  test('T7 gets no input', async () => {
    const { path } = temporaryFolder()
    expect(await bash(path, 'cat; read x; echo "<$x>"')).toMatchObject({ text: '<>\n' })
  })

  test('T7 may begin with a dash', async () => {
    const { path } = temporaryFolder()
    expect(await bash(path, '-x')).toMatchObject({ status: 'partial', data: { exit_code: 127 } })
  })

  test('T7 starts in the workspace or a folder in it, never outside', async () => {
    const folder = temporaryFolder({ 'src/a': '', file: '' })
    folder.link('out', '/etc')
    const run = (directory: string) => bash(folder.path, 'pwd', { args: { directory } })
    expect(await bash(folder.path, 'pwd; echo $PWD')).toMatchObject({
      text: `${folder.path}\n${folder.path}\n`,
    })
    expect(await run('src')).toMatchObject({ text: `${folder.at('src')}\n`, data: { directory: 'src' } })
    for (const directory of ['..', '/', 'out', '/etc'])
      expect(await run(directory), directory).toMatchObject({ error: { code: 'ACCESS_DENIED' } })
    expect(await run('nothing')).toMatchObject({ error: { code: 'NOT_FOUND' } })
    expect(await run('file')).toMatchObject({ error: { code: 'INVALID_PARAM' } })
    const narrowed = await bash(folder.path, 'pwd', { allowed: [folder.at('src')] })
    expect(narrowed).toMatchObject({ error: { code: 'ACCESS_DENIED' } })
  })

  test('T7 with bad parameters is not run', async () => {
    const folder = temporaryFolder()
    for (const args of [{ command: '' }, { command: 'touch x\0' }, { timeout_ms: 0 }, { colour: 'red' }])
      expect(await bash(folder.path, 'touch x', { args })).toMatchObject({ error: { code: 'INVALID_PARAM' } })
    expect(existsSync(folder.at('x'))).toBe(false)
  })

  test('T7 that is too long for the system is an error, not an exception', async () => {
    const { path } = temporaryFolder()
    expect(await bash(path, `: ${'x'.repeat(3_000_000)}`)).toMatchObject({
      error: { code: 'EXECUTION_ERROR', message: expect.stringContaining('could not be started') },
    })
  })

  test('T7 is shown to the permission gate as it is', () => {
    const tool = createBashTool({ sandbox: unsandboxed })
    expect(tool.effect).toBe('execute')
    expect(tool.touches({ command: 'rm -rf x' })).toEqual({
      command: 'rm -rf x',
      paths: ['.'],
      confined: false,
    })
    expect(tool.touches({ command: 'ls', directory: 'src' })).toMatchObject({ paths: ['src'] })
    expect(tool.touches({ command: 1 })).toBeUndefined()
  })

  test('A8 reports to the permission gate whether it runs in a sandbox', () => {
    for (const kind of ['bubblewrap', 'seatbelt'] as const) {
      const tool = createBashTool({ sandbox: { kind, program: '/bin/false' } })
      expect(tool.touches({ command: 'ls' })).toMatchObject({ confined: true })
    }
  })

  test('Z5 places that it makes are taken out, changed ones are reported', async () => {
    const { path } = temporaryFolder({ '.npmrc': 'a=b' })
    const result = await bash(path, 'mkdir .vscode && echo {} > .vscode/tasks.json; echo c=d >> .npmrc')
    expect(result.data).toMatchObject({ taken_out: ['.vscode'], protected_changed: ['.npmrc'] })
    expect(result.text).toContain('.vscode')
    expect(readdirSync(path)).toEqual(['.npmrc'])
  })
})

describe('a workspace with more places in packages than can be protected', () => {
  test('T7 is reported with the first command, and in the data of each', async () => {
    const folder = temporaryFolder()
    for (let number = 0; number <= 150; number++) folder.write({ [`node_modules/p${number}/.npmrc`]: '' })
    const runner = createToolRunner({
      workspace: new Workspace({ root: folder.path }),
      tools: [createBashTool({ sandbox: unsandboxed })],
      permit: () => ({ granted: true }),
    })
    const run = () => runner.run({ name: 'Bash', args: { command: 'true' } }, { allowed: [folder.path] })
    const [first, second] = [await run(), await run()]
    expect(first).toMatchObject({ text: expect.stringContaining('too large to search completely') })
    expect(second.text).toBe('(no output)')
    for (const { data } of [first, second]) expect(data.protected_unsearched).toBe(true)
  })
})

describe('output', () => {
  test('T7 is streamed while the command runs, in order', async () => {
    const folder = temporaryFolder()
    const heard: ToolEvent[] = []
    const command =
      'echo one; until [ -e go ]; do sleep 0.05; done; echo two >&2; sleep 0.2; printf "\\xf0\\x9f"; sleep 0.1; printf "\\x99\\x82"'
    const running = bash(folder.path, command, { onEvent: (event) => heard.push(event) })
    expect(await eventually(() => heard.length === 1)).toBe(true)
    expect(heard).toEqual([{ type: 'tool-output', stream: 'stdout', text: 'one\n' }])
    folder.write({ go: '' })
    expect(await running).toMatchObject({ text: 'one\ntwo\n🙂' })
    expect(heard.slice(1)).toEqual([
      { type: 'tool-output', stream: 'stderr', text: 'two\n' },
      { type: 'tool-output', stream: 'stdout', text: '🙂' },
    ])
  })

  test('T7 that is not UTF-8, and escape sequences, stay as text', async () => {
    const { path } = temporaryFolder()
    const result = await bash(path, `printf 'a\\xffb\\033[31mred\\033[0m\\0\\xe2\\x82'`)
    expect(result.text).toBe('a\uFFFDb\u001B[31mred\u001B[0m\0\uFFFD')
  })

  test('T7 beyond 30 000 characters keeps head and tail; the full text is kept under an id', async () => {
    const memory = createSessionMemory()
    const { path } = temporaryFolder()
    const result = await bash(path, 'seq 1 20000', { memory })
    const full = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('')
    expect(result).toMatchObject({ status: 'partial', data: { exit_code: 0, truncated: true } })
    expect(result.text.length).toBeLessThan(30_200)
    expect(result.text.startsWith('1\n2\n3\n')).toBe(true)
    expect(result.text.endsWith('19999\n20000\n')).toBe(true)
    const id = String(result.data.observation_id)
    expect(result.text).toContain(
      `(${full.length - 30_000} characters left out; Recall {"id":"${id}"} has the whole)`,
    )
    expect(memory.observations.find(id)).toBe(full)
  })

  test('T7 of exactly 30 000 characters is whole', async () => {
    const { path } = temporaryFolder()
    const result = await bash(path, 'printf "%030000d" 7')
    expect(result).toMatchObject({ status: 'success', data: { truncated: false } })
    expect(result.text).toHaveLength(30_000)
  })

  test('T7 a flood of 200 MB stays within bounds, and its end is seen', async () => {
    const memory = createSessionMemory()
    const { path } = temporaryFolder()
    const before = process.memoryUsage().rss
    let highest = before
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss)
    }, 20)
    const result = await bash(path, 'yes 0123456 | head -c 200000000; echo; echo the end', { memory })
    clearInterval(watch)
    expect(result.text.endsWith('the end\n')).toBe(true)
    expect(result.text.length).toBeLessThan(30_200)
    const kept = memory.observations.find(String(result.data.observation_id)) ?? ''
    expect(kept.length).toBeLessThan(30 * 1024 * 1024 + 31_000)
    expect(kept.endsWith('the end\n')).toBe(true)
    // 30 MiB are kept; joined and encoded for the hash, they exist three times for a moment.
    expect((highest - before) / 2 ** 20).toBeLessThan(200)
  })

  test('T7 is complete even if the host reads it slowly', async () => {
    const { path } = temporaryFolder()
    const sleep = new Int32Array(new SharedArrayBuffer(4))
    const onEvent = () => void Atomics.wait(sleep, 0, 0, 800)
    const result = await bash(path, 'seq 1 12000; sleep 0.1; echo the end', { onEvent })
    expect(result.text.endsWith('the end\n')).toBe(true)
    expect(result.text.startsWith('1\n2\n')).toBe(true)
  })

  test('T7 is never cut through a character', () => {
    const output = new CommandOutput({ shown: 6, kept: 9 })
    output.add('stdout', Buffer.from('🙂'.repeat(10)))
    expect(output.shown()).toEqual({ head: '🙂', tail: '🙂', leftOut: 16 })
    expect(output.full()).toBe(`${'🙂'.repeat(4)}\n(5 characters were not kept)\n🙂🙂🙂`)
  })
})

describe('the end', () => {
  /** A shell that starts a shell that sleeps; the inner ones note their ids. */
  const family =
    'bash -c \'echo $$ > child; bash -c "echo \\$\\$ > grandchild; sleep 600; true"; true\'; true'

  function pidIn(file: string): number {
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  }

  test('T7 at the timeout ends the whole process tree, and the output so far is kept', async () => {
    const folder = temporaryFolder()
    const result = await bash(folder.path, `echo started; ${family}`, { args: { timeout_ms: 1500 } })
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'TIMEOUT' },
      text: 'timed out after 1500 ms and was ended; its output until then:\nstarted\n',
      data: { output: 'started\n', exit_code: null },
    })
    const pids = ['child', 'grandchild'].map((name) => pidIn(folder.at(name)))
    expect(pids.every((pid) => pid > 0)).toBe(true)
    expect(await eventually(() => !pids.some(isRunning))).toBe(true)
  })

  test('T7 at the timeout also ends a program that ignores signals', async () => {
    const folder = temporaryFolder()
    const command = 'trap "" TERM; echo $$ > stubborn; while :; do sleep 0.1; done'
    const result = await bash(folder.path, command, { args: { timeout_ms: 1000 } })
    expect(result).toMatchObject({ error: { code: 'TIMEOUT' } })
    expect(await eventually(() => !isRunning(pidIn(folder.at('stubborn'))))).toBe(true)
  })

  test('T7 at a cancel ends the whole process tree at once', async () => {
    const folder = temporaryFolder()
    const controller = new AbortController()
    const running = bash(folder.path, family, { signal: controller.signal })
    expect(await eventually(() => pidIn(folder.at('grandchild')) > 0)).toBe(true)
    controller.abort()
    expect(await running).toMatchObject({ error: { code: 'EXECUTION_ERROR', message: 'cancelled' } })
    expect(await eventually(() => !isRunning(pidIn(folder.at('grandchild'))))).toBe(true)
  })

  test('T7 at a cancel is reported to the tool itself, with the output so far', async () => {
    const folder = temporaryFolder()
    const controller = new AbortController()
    const outcome = createBashTool({ sandbox: unsandboxed, mode: 'off' }).call(
      { command: 'trap "" TERM; echo started; while :; do sleep 0.1; done' },
      {
        workspace: new Workspace({ root: folder.path }),
        allowed: [folder.path],
        memory: createSessionMemory(),
        signal: controller.signal,
        onEvent: () => controller.abort(),
      },
    )
    // The command never ends by itself: without the cancel, this test would run into its own time limit.
    expect(await outcome).toMatchObject({
      error: { message: 'cancelled; its output until then:\nstarted\n' },
      data: { output: 'started\n' },
    })
  })

  test('T7 at a cancel leaves the output so far in the result', async () => {
    const { path } = temporaryFolder()
    const controller = new AbortController()
    const onEvent = () => controller.abort()
    const result = await bash(path, 'echo started; sleep 60', { signal: controller.signal, onEvent })
    expect(result).toMatchObject({
      error: { code: 'EXECUTION_ERROR' },
      text: 'cancelled; its output until then:\nstarted\n',
      data: { output: 'started\n', exit_code: null },
    })
  })

  /** A program of its own that runs a command: what it leaves behind when it ends. */
  async function hostIn(folder: TemporaryFolder, program: string): Promise<void> {
    const parts = {
      text: "export * from './bash-process.js'",
      folder: fileURLToPath(new URL('../../src/bash', import.meta.url)),
    }
    await bundleProgram(parts, folder.at('host/parts.mjs'))
    folder.write({
      'host/host.mjs': `import { runProcess } from './parts.mjs'
        const sleeper = { program: '/bin/sh', args: ['-c', 'echo $$ > left; echo; sleep 60; true'] }
        const options = { directory: '.', environment: {}, timeout: 60000 }
        ${program}`,
    })
  }

  function startHost(folder: TemporaryFolder) {
    const host = fork(folder.at('host/host.mjs'), { cwd: folder.path })
    onTestFinished(() => void host.kill('SIGKILL'))
    return host
  }

  test('T7 of Mutsumi ends its commands', async () => {
    const folder = temporaryFolder()
    await hostIn(folder, 'runProcess(sleeper, { ...options, onBytes: () => process.exit() })')
    execFileSync(process.execPath, [folder.at('host/host.mjs')], { cwd: folder.path })
    expect(pidIn(folder.at('left'))).toBeGreaterThan(0)
    expect(await eventually(() => !isRunning(pidIn(folder.at('left'))))).toBe(true)
  })

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'T7 of Mutsumi by %s ends its commands',
    async (signal) => {
      const folder = temporaryFolder()
      await hostIn(folder, `runProcess(sleeper, { ...options, onBytes: () => process.send('started') })`)
      const host = startHost(folder)
      await once(host, 'message')
      host.kill(signal)
      expect(await once(host, 'exit')).toEqual([null, signal])
      expect(await eventually(() => !isRunning(pidIn(folder.at('left'))))).toBe(true)
    },
  )

  test('T7 if the host handles a signal itself, it decides what ends', async () => {
    const folder = temporaryFolder()
    await hostIn(
      folder,
      `process.on('SIGTERM', () => setTimeout(() => process.send('heard'), 300))
       runProcess(sleeper, { ...options, onBytes: () => process.send('started') })`,
    )
    const host = startHost(folder)
    await once(host, 'message')
    host.kill('SIGTERM')
    expect((await once(host, 'message'))[0]).toBe('heard')
    expect(isRunning(pidIn(folder.at('left')))).toBe(true)
    host.kill('SIGINT')
    await once(host, 'exit')
  })

  test('T7 of the shell ends its background processes', async () => {
    const folder = temporaryFolder()
    // If the end of the sleep were waited for, this test would run into its own time limit.
    const result = await bash(folder.path, 'sleep 600 & echo $! > background; echo done')
    expect(result).toMatchObject({ status: 'success', text: 'done\n' })
    expect(await eventually(() => !isRunning(pidIn(folder.at('background'))))).toBe(true)
  })
})

describe('the environment', () => {
  const own = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    GIT_AUTHOR_NAME: 'Ada',
    SSL_CERT_FILE: '/etc/ssl/ca.pem',
    OPENAI_API_KEY: 'leak-1',
    GITHUB_TOKEN: 'leak-2',
    AWS_SECRET_ACCESS_KEY: 'leak-3',
    DB_PASSWORD: 'leak-4',
    GOOGLE_APPLICATION_CREDENTIALS: 'leak-5',
    SSH_AUTH_SOCK: 'leak-6',
    npm_config__authToken: 'leak-7',
    HARMLESS: 'sk-ant-leak-0123456789abcdef',
    DATABASE_URL: 'postgres://ada:leak-8@host/db',
    BASH_ENV: '/leak-9',
    GITHUB_PAT: 'leak-10',
    SOMETHING: 'ghp_leak0123456789abcdef',
  }

  test('T7 of a command contains no key, token or password', async () => {
    const { path } = temporaryFolder()
    const { text } = await bash(path, 'env; cat /proc/self/environ', { environment: own })
    expect(text).not.toContain('leak')
    expect(text).toContain('GIT_AUTHOR_NAME=Ada')
    expect(text).toContain('SSL_CERT_FILE=/etc/ssl/ca.pem')
  })

  test('T7 of a command contains only variables with known names', () => {
    const kept = {
      ...{ NODE_ENV: 'test', JAVA_HOME: '/opt/jdk', GOPATH: '/go', LC_ALL: 'C', TZ: 'UTC', CFLAGS: '-O2' },
      ...{ npm_config_cache: '/c', DB_HOST: 'localhost', PORT: '1', HTTPS_PROXY: 'http://proxy:3128' },
      ...{ PIP_INDEX_URL: 'https://pypi.example/simple', CMAKE_BUILD_TYPE: 'Debug', MAKEFLAGS: '-j2' },
    }
    const dropped = {
      ...{
        BUNDLE_GEMS__EXAMPLE__COM: 'x',
        NIX_CONFIG: 'x',
        GIT_CONFIG_VALUE_7: 'x',
        GIT_CONFIG_PARAMETERS: 'x',
      },
      ...{ JAVA_OPTS: '-Dx=y', GRADLE_OPTS: '-Dx=y', MAVEN_OPTS: 'x', JAVA_TOOL_OPTIONS: 'x', YARN_NPM: 'x' },
      ...{ PIP_EXTRA_INDEX_URL: 'https://word@host/simple', UV_INDEX_URL: 'https://a:b@host/simple' },
      ...{ UV_DEFAULT_INDEX: 'https://host/0123456789abcdef0123/simple', GOPROXY: 'https://x?token=1' },
      ...{ XDG_OTHER: 'x', CARGO_REGISTRIES_MINE: 'x', UV_INDEX_MINE_USERNAME: 'x', PIP_CLIENT_CERT: 'x' },
      ...{ LINEAR: 'x', BASIC: 'x', DBCONN: 'x', GOOG: 'x', STRIPE: 'x', SENTRY: 'x' },
      ...{ BASH_ENV: '/x', CDPATH: '/x', GIT_ASKPASS: '/x', NODE_OPTIONS: '-r x', GIT_TOKEN_PATH: '/x' },
    }
    const given = commandEnvironment({ ...kept, ...dropped })
    expect(given).toMatchObject(kept)
    expect(Object.keys(dropped).filter((name) => name in given)).toEqual([])
  })

  test.for([
    ...[
      'sk-abcdefghijklmnop',
      'sk_live_abcdefghijklmnop',
      'ghp_abcdefghijklmnop',
      'github_pat_abcdefghijklmnop',
    ],
    ...[
      'glpat-abcdefghijklmnop',
      `npm_${'x'.repeat(30)}`,
      `hf_${'x'.repeat(20)}`,
      'lin_api_abcdefghijklmnop',
    ],
    ...['shpat_abcdefghijklmnop', 'dop_v1_abcdefghijklmnop', 'SG.abcdefghijklmnop.abc', 'xoxb-1', 'xapp-1'],
    ...['AKIAABCDEFGHIJKL', `AIza${'x'.repeat(30)}`, 'ya29.abcdefghijklmnop', 'eyJabcdefgh.abcdefgh'],
    ...['-Da.b=ghp_abcdefghijklmnop', '-Drepo.token=x', 'access-tokens = github.com=x'],
    ...['AGE-SECRET-KEY-1', 'a -----BEGIN RSA PRIVATE KEY', 'postgres://ada:word@host/db'],
    ...[
      'Bearer abcdefghijkl',
      'Authorization: Basic YWRhOmxvdmVsYWNl',
      'Server=x;Password=hunter2;',
      'host=x pwd=y',
    ],
  ])('T7 of a command never contains %s, whatever its name', (value) => {
    expect(commandEnvironment({ APP_MODE: value, OTHER_MODE: 'plain' })).not.toHaveProperty('APP_MODE')
    expect(commandEnvironment({ APP_MODE: value, OTHER_MODE: 'plain' })).toHaveProperty('OTHER_MODE')
  })

  test('T7 of a command does not look for programs in the workspace', async () => {
    const folder = temporaryFolder({
      'node_modules/.bin/ls': '#!/bin/sh\necho evil\n',
      ls: '#!/bin/sh\necho evil\n',
    })
    for (const name of ['node_modules/.bin/ls', 'ls']) chmodSync(folder.at(name), 0o755)
    const other = temporaryFolder()
    other.link('programs', folder.at('node_modules/.bin'))
    const path = [
      folder.at('node_modules/.bin'),
      folder.path,
      other.at('programs'),
      '.',
      '',
      process.env.PATH,
    ]
    const environment = { ...process.env, PATH: path.join(':') }
    expect(await bash(folder.path, 'ls', { environment })).toMatchObject({ text: 'ls\nnode_modules\n' })
    expect(safeSearchPath(`/usr/bin:${path.slice(0, 5).join(':')}:/opt/x`, [folder.path])).toBe(
      '/usr/bin:/opt/x',
    )
    expect(safeSearchPath('.:bin', ['/w'])).toBe('/usr/local/bin:/usr/bin:/bin')
    expect(safeSearchPath(undefined, ['/w'])).toBe('/usr/local/bin:/usr/bin:/bin')
  })

  test('T7 of a command suits a program without a terminal', () => {
    const given = commandEnvironment({ TERM: 'xterm', FORCE_COLOR: '1', PAGER: 'less', LANG: 'C' })
    const ours = Object.entries(given).filter(([name]) => !name.startsWith('GIT_CONFIG_'))
    expect(Object.fromEntries(ours)).toEqual({
      CI: '1',
      DEBIAN_FRONTEND: 'noninteractive',
      GIT_EDITOR: 'true',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      LANG: 'C',
      NO_COLOR: '1',
      PAGER: 'cat',
      TERM: 'dumb',
    })
  })

  test('T7 of a command keeps git from running a repository’s programs and from asking questions', async () => {
    const folder = temporaryFolder({ 'a.txt': '' })
    const setUp =
      'git init -q . && git config core.fsmonitor "touch ran; false" && git config credential.helper "!touch ran"'
    execFileSync('/bin/sh', ['-c', setUp], { cwd: folder.path })
    const fill = 'printf "protocol=https\\nhost=example.org\\n\\n" | git credential fill'
    const { text } = await bash(folder.path, `git status -s; ${fill}; git config core.fsmonitor`)
    expect(text).toContain('?? a.txt')
    expect(text).toContain('false\n')
    expect(existsSync(folder.at('ran'))).toBe(false)
  })
})
