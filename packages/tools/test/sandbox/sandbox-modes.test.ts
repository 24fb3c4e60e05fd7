import { chmodSync, existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type BashOptions, createBashTool } from '../../src/bash/bash.js'
import type { ToolEvent } from '../../src/contract/define-tool.js'
import { createToolRunner } from '../../src/contract/tool-runner.js'
import type { Permission } from '../../src/index.js'
import { describeRemainder, describeSandbox } from '../../src/sandbox/describe-sandbox.js'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { stricterMode } from '../../src/sandbox/sandbox-mode.js'
import { builtInTools } from '../../src/tools/built-in-tools.js'
import { Workspace } from '../../src/workspace/workspace.js'
import { bash } from '../support/bash-call.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('detection', () => {
  test('T7 without a sandbox, one line says why, how to get one, and what it means', async () => {
    expect(await detectSandbox({ platform: 'win32' })).toEqual({
      kind: 'none',
      reason: 'there is no sandbox for win32',
    })
    const missing = await detectSandbox({ platform: 'linux', programs: ['/nowhere/bwrap'] })
    expect(missing).toEqual({
      kind: 'none',
      reason: 'bubblewrap (bwrap) is not installed',
      remedy: expect.stringMatching(/bubblewrap$/),
    })
    const apt = { ...missing, remedy: 'apt install bubblewrap' }
    expect((['auto', 'require', 'off'] as const).map((mode) => describeSandbox(apt, mode))).toEqual([
      'none (bubblewrap (bwrap) is not installed; to get one: apt install bubblewrap): commands that your rules allow run unconfined, all others ask; --sandbox require refuses them all',
      'none (bubblewrap (bwrap) is not installed; to get one: apt install bubblewrap): no command runs (--sandbox require); --sandbox auto runs commands that your rules allow, unconfined',
      'none (bubblewrap (bwrap) is not installed; to get one: apt install bubblewrap): commands that your rules allow run unconfined, all others ask; --sandbox auto confines them if it can',
    ])
  })

  test('T7 a sandbox that is installed but does not work does not count', async () => {
    const broken = await detectSandbox({ platform: 'linux', programs: ['/bin/false'] })
    expect(broken).toMatchObject({ kind: 'none', reason: expect.stringContaining('does not work here') })
    expect(describeRemainder(broken)).toMatch(/can do what you can.*links in \.git.*sockets/)
    expect(describeRemainder({ kind: 'seatbelt' })).toMatch(/links in \.git/)
    expect(describeRemainder({ kind: 'bubblewrap' })).toMatch(/taken out when it ends/)
    expect(describeSandbox(broken)).not.toContain('\n')
  })

  test('T7 a sandbox that is switched off is not even tried', async () => {
    const folder = temporaryFolder({ bwrap: '#!/bin/sh\ntouch "$0.tried"\n' })
    chmodSync(folder.at('bwrap'), 0o755)
    const search = { platform: 'linux', programs: [folder.at('bwrap')] } as const
    await detectSandbox({ ...search, mode: 'off' })
    expect(existsSync(folder.at('bwrap.tried'))).toBe(false)
    await detectSandbox({ ...search, mode: 'require' })
    expect(existsSync(folder.at('bwrap.tried'))).toBe(true)
  })

  test('T7 a working sandbox is described by what it protects', () => {
    expect(describeSandbox({ kind: 'bubblewrap', program: '/usr/bin/bwrap' })).toMatch(
      /^bubblewrap .*workspace/,
    )
    expect(describeSandbox({ kind: 'seatbelt', program: '/usr/bin/sandbox-exec' })).toMatch(/^Seatbelt /)
  })

  test('T7 the stricter of two modes counts', () => {
    expect(stricterMode('off', 'auto')).toBe('auto')
    expect(stricterMode('require', 'auto')).toBe('require')
    expect(stricterMode('off', 'off')).toBe('off')
  })
})

const missing = { kind: 'none', reason: 'bwrap is not installed', remedy: 'apt install bubblewrap' } as const

/** A Bash where there is no sandbox, and a user who is asked about each command. */
function bashWithout(options: Partial<BashOptions>) {
  const folder = temporaryFolder()
  const heard: ToolEvent[] = []
  const asked: string[] = []
  const tool = createBashTool({ sandbox: missing, ...options })
  const workspace = new Workspace({ root: folder.path })
  const permit = ({ call }: { call: { args: object } }): Permission => {
    asked.push(JSON.stringify(call.args))
    return { granted: true }
  }
  const runner = createToolRunner({
    workspace,
    tools: [tool],
    permit,
    onEvent: (_, event) => heard.push(event),
  })
  const run = (command: string) => runner.run({ name: 'Bash', args: { command } }, { allowed: [folder.path] })
  return { folder, run, asked, tool, warnings: () => heard.filter(({ type }) => type === 'warning') }
}

describe('without a sandbox', () => {
  test('T7 auto runs permitted commands, and says once that nothing confines them', async () => {
    const { run, warnings } = bashWithout({ mode: 'auto' })
    expect(await run('echo one')).toMatchObject({
      status: 'success',
      data: { sandbox: 'none', network: true },
    })
    expect(await run('echo two')).toMatchObject({ status: 'success', text: 'two\n' })
    expect(warnings()).toMatchObject([
      {
        type: 'warning',
        warning: {
          code: 'no-sandbox',
          source: 'Bash',
          message:
            "this run's commands are not confined: bwrap is not installed; to get one: apt install bubblewrap. --sandbox require refuses to run any; --sandbox off hides this note",
        },
      },
    ])
  })

  test('T7 require refuses every command, asks nobody, and says what to install and which flag to use', async () => {
    const { folder, run, asked, tool } = bashWithout({ mode: 'require' })
    const refusal =
      'a sandbox is required (by --sandbox or a config), but there is none: bwrap is not installed; to get one: apt install bubblewrap. With --sandbox auto it would run unconfined if a rule or the user allows it'
    expect(await run('touch made')).toMatchObject({
      status: 'error',
      error: { code: 'PERMISSION_DENIED', message: expect.stringContaining(refusal) },
    })
    expect(asked).toEqual([])
    const context = { workspace: new Workspace({ root: folder.path }), allowed: [folder.path] }
    const outcome = await tool.call({ command: 'touch made' }, { ...context, memory: {} as never })
    expect(outcome).toMatchObject({ error: { code: 'PERMISSION_DENIED', message: refusal } })
    expect(existsSync(folder.at('made'))).toBe(false)
  })

  test('T7 off runs permitted commands without a note', async () => {
    const { run, warnings } = bashWithout({ mode: 'off' })
    expect(await run('echo one')).toMatchObject({ status: 'success', data: { sandbox: 'none' } })
    expect(warnings()).toEqual([])
  })

  test('T7 one Bash serves all calls of a run, so a note appears only once', async () => {
    const tool = builtInTools({ sandbox: 'off' }).find(({ name }) => name === 'Bash')
    expect(await tool?.load()).toBe(await tool?.load())
  })
})

describe('the network', () => {
  /** A sandbox that confines nothing, on any machine: what matters here is what the result says. */
  function run(command: string, options: Partial<BashOptions> = {}) {
    const folder = temporaryFolder({ sandbox: '#!/bin/sh\nshift 2\nexec "$@"\n' })
    chmodSync(folder.at('sandbox'), 0o755)
    return bash(folder.path, command, {
      sandbox: { kind: 'seatbelt', program: folder.at('sandbox') },
      ...options,
    })
  }
  const note = 'this command had no network; the user can give it to commands with --network'

  test.for([
    'curl: (6) Could not resolve host: example.org',
    "fatal: unable to access 'https://example.org/': Could not resolve host: example.org",
    'npm error code EAI_AGAIN',
    'Error: getaddrinfo ENOTFOUND example.org',
    'socket.gaierror: [Errno -3] Temporary failure in name resolution',
    'dial tcp: lookup proxy.golang.org: no such host',
    'bash: connect: Network is unreachable',
  ])('T7 the result of a command that failed without it says so: %s', async (written) => {
    expect(await run(`cat <<'END'\n${written}\nEND\nexit 6`)).toMatchObject({
      text: `${written}\n(exit code 6)\n(${note})`,
      data: { network: false, notes: [note] },
    })
  })

  test('T7 there is no note if the command had it, succeeded, or failed for another reason', async () => {
    const failing = 'echo getaddrinfo ENOTFOUND example.org; exit 1'
    const results = [
      run(failing, { network: true }),
      run(`(${failing}) || true`),
      run('echo 1 failed; exit 1'),
    ]
    for (const { data } of await Promise.all(results)) expect(data).not.toHaveProperty('notes')
  })

  test('T7 in a real sandbox it is available only on request', async ({ skip }) => {
    const sandbox = await detectSandbox()
    if (sandbox.kind === 'none') skip(sandbox.reason)
    const { path } = temporaryFolder()
    const command = 'echo x > /dev/udp/192.0.2.1/9'
    expect(await bash(path, command, { sandbox })).toMatchObject({ data: { network: false, notes: [note] } })
    expect((await bash(path, command, { sandbox, network: true })).data).not.toHaveProperty('notes')
  })
})
