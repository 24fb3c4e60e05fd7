import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { detectSandbox } from '@mutsumi/tools'
import { describeRemainder } from '@mutsumi/tools/parts'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.js'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { modelServer } from '../support/model-server.js'
import { action, finish, scripted } from '../support/scripted.js'

const script = join(import.meta.dirname, '../../../tools/test/support/mcp-server.mjs')

test('H1 doctor says what this machine offers', async () => {
  const folder = makeFolder()
  const env = { MUTSUMI_CONFIG_DIR: makeFolder() }
  const findings = await runJson(folder, ['doctor'], { env })
  expect(Object.keys(findings)).toEqual([
    'node',
    'workspace',
    'trusted',
    'config',
    'undo',
    'settings',
    'model',
    'protocol',
    'keys',
    'permission',
    'sessions',
    'sandbox',
    'remains',
    'network',
    'shell',
    'ripgrep',
    'terminal',
    'locale',
    'checks',
    'mcp',
    'problems',
  ])
  expect(findings).toMatchObject({
    workspace: folder,
    trusted: 'no (mutsumi trust)',
    config: env.MUTSUMI_CONFIG_DIR,
    mcp: [],
    problems: [],
  })
  const { stdout } = await run(folder, ['doctor'], { env })
  expect(stdout).toMatch(/^sandbox +\S/m)
  expect(stdout).toMatch(/^mcp +no servers/m)
})

const sandbox = await detectSandbox()

/** Runs one command as a round does, and returns the folder. */
async function commandIn(kind: 'auto' | 'off', command: string, files: Readonly<Record<string, string>>) {
  const { folder, flags } = scripted([action('Bash', { command: 'sh ./job.sh' }), finish('done')], {
    ...files,
    'job.sh': command,
  })
  const allowed = ['--allow', 'Bash', '--sandbox', kind, '--json', ...flags]
  await run(folder, ['-p', 'x', ...allowed], { env: { MUTSUMI_STATE_DIR: makeFolder() } })
  return folder
}

const there = (folder: string, name: string) => existsSync(join(folder, name))

/** Another program looks while the command runs, which waits for the name that it sees. */
const plantAndShow =
  'mkdir .vscode; ls -a > seen; cat .husky/pre-commit > read; echo evil > .husky/pre-commit'

test.skipIf(sandbox.kind !== 'bubblewrap')(
  'H1 Z5 with bubblewrap doctor says that protected files exist until the command ends, and no longer',
  async () => {
    const { remains } = await runJson(makeFolder(), ['doctor'])
    expect(remains).toMatch(/other programs can see protected files that it makes; they are taken out/)
    expect(remains).toMatch(/can see sessions that begin and sockets that appear/)
    const files = { '.husky/pre-commit': 'mine' }
    const folder = await commandIn('auto', plantAndShow, files)
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toContain('.vscode')
    expect(there(folder, '.vscode')).toBe(false)
    expect(readFileSync(join(folder, '.husky/pre-commit'), 'utf8')).toBe('mine')
  },
)

test.skipIf(process.platform !== 'linux')(
  'H1 Z5 without a sandbox doctor says that existing files can change, new ones go, and what clears its environment survives',
  async () => {
    const { remains } = await runJson(makeFolder(), ['doctor'], { env: { MUTSUMI_SANDBOX: 'off' } })
    expect(remains).toMatch(/change existing hooks.* read and change sessions/)
    expect(remains).toMatch(/taken out when it ends, but .*\(env -i\) outlives it and can make them again/)
    const survivor = 'env -i setsid sh -c "sleep 0.2; while [ ! -e go ]; do sleep 0.05; done; mkdir .idea" &'
    const files = { '.husky/pre-commit': 'mine', 'mine.mtm': 'mine' }
    const folder = await commandIn('off', `${plantAndShow}; echo x > mine.mtm; ${survivor}`, files)
    expect(there(folder, '.vscode')).toBe(false)
    expect(readFileSync(join(folder, '.husky/pre-commit'), 'utf8')).toBe('evil\n')
    expect(readFileSync(join(folder, 'mine.mtm'), 'utf8')).toBe('x\n')
    writeFileSync(join(folder, 'go'), '')
    expect(await eventually(() => there(folder, '.idea'), 20_000)).toBe(true)
  },
)

test('H1 Z5 with Seatbelt doctor says when links are found, who reaches sockets and what survives', () => {
  const remains = describeRemainder({ kind: 'seatbelt' })
  expect(remains).toMatch(/links in \.git .* only after they appear/)
  expect(remains).toMatch(/sockets are open to commands with the network/)
  expect(remains).toMatch(/leaves its group and clears its environment \(env -i\) outlives/)
  // `sandbox-arguments.test.ts` has the profile: it names places that do not exist yet.
  expect(remains).not.toMatch(/protected files/)
})

/** One server that works, one that dies, one that is off, one that is wrong; and one of the workspace. */
function world() {
  const mcpServers = {
    works: { command: process.execPath, args: [script, 'bad-schema'] },
    dies: { command: process.execPath, args: [script, 'dies'] },
    off: { command: process.execPath, disabled: true },
    wrong: {},
  }
  const local = { command: process.execPath, args: ['-e', 'require("fs").writeFileSync("started", "")'] }
  const folder = makeFolder({ '.mutsumi/config.json': JSON.stringify({ mcpServers: { local } }) })
  const config = makeFolder({ 'config.json': JSON.stringify({ mcpServers }) })
  return { folder, config, env: { MUTSUMI_CONFIG_DIR: config, HOME: makeFolder() } }
}

test('T9 H1 doctor starts the servers of the config, shows the state of each, and ends them', async () => {
  const { folder, config, env } = world()
  const { code, stdout } = await run(folder, ['doctor'], { env })
  expect(code).toBe(1)
  const lines = stdout.split('\n').filter((line) => /^(mcp|problem)/.test(line))
  expect(lines).toEqual([
    expect.stringMatching(/^mcp {9}dies \(user\): failed, could not be reached: .*no licence found/),
    'mcp         local (workspace): failed, is named by this workspace, which is not trusted (mutsumi trust)',
    'mcp         off (user): disabled',
    expect.stringMatching(/^mcp {9}works \(user\): ready, 2 tools, tool 2 was left out/),
    `problem     ${config}/config.json: mcpServers.wrong: needs a command or a url`,
  ])
})

test('A8 H1 doctor starts a workspace’s server only if the folder is trusted', async () => {
  const { folder, env } = world()
  const started = () => readFileSync(join(folder, 'started'), 'utf8')
  await run(folder, ['doctor'], { env })
  expect(started).toThrow(/ENOENT/)
  await run(folder, ['trust'], { env })
  await run(folder, ['doctor'], { env })
  expect(started()).toBe('')
})

test('A8 H1 doctor does not start the user’s servers in a folder that is not trusted', async () => {
  const { folder, config, env } = world()
  const where = { command: process.execPath, args: ['-e', 'console.error(process.cwd()); process.exit(1)'] }
  writeFileSync(join(config, 'config.json'), JSON.stringify({ mcpServers: { where } }))
  const reason = async () =>
    JSON.parse((await run(folder, ['doctor', '--json'], { env })).stdout).mcp.at(-1).reason
  expect(await reason()).toContain(`it wrote: ${env.HOME}`)
  await run(folder, ['trust'], { env })
  expect(await reason()).toContain(`it wrote: ${folder}`)
})

test('H1 doctor checks the config as a run does, and names a solution for each problem', async () => {
  const config = (file: object | string) => ({
    MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': typeof file === 'string' ? file : JSON.stringify(file) }),
  })
  const cases: readonly [string, Record<string, string>, readonly string[], string][] = [
    ['an invalid setting', config({ ghst: 1 }), [], 'unknown setting "ghst"'],
    ['a config that is not JSON', config('{'), [], 'is not valid JSON'],
    ['a model without a key', config({ model: 'openai/gpt-5' }), [], 'needs a key: set MUTSUMI_API_KEY'],
    ['an empty model', { MUTSUMI_MODEL: '' }, [], 'MUTSUMI_MODEL is empty'],
    [
      'an effort',
      { OPENAI_API_KEY: 'sk-1' },
      ['--offline', '-c', 'reasoningEffort=much'],
      'takes none or minimal',
    ],
    ['a script', {}, ['-m', 'scripted:gone.jsonl'], 'there is no file gone.jsonl'],
  ]
  for (const [what, env, args, says] of cases) {
    const { code, stdout } = await run(makeFolder(), ['doctor', ...args], { env })
    expect([what, code, stdout]).toEqual([what, 1, expect.stringContaining(says)])
    expect([what, stdout]).toEqual([what, expect.stringMatching(/^ {2}solution {2}\S/m)])
    const json = await run(makeFolder(), ['doctor', '--json', ...args], { env })
    expect([json.code, JSON.parse(json.stdout).problems]).toEqual([
      1,
      expect.arrayContaining([expect.stringContaining(says)]),
    ])
  }
})

test('H1 doctor shows the model and the key by its name, never the key', async () => {
  const key = 'sk-secret-0123456789'
  const where = async (env: Record<string, string>, ...args: string[]) => {
    const { code, stdout } = await run(makeFolder(), ['doctor', '--offline', ...args], { env })
    expect([code, stdout.includes(key)]).toEqual([0, false])
    return stdout.split('\n').filter((line) => /^(model|key|address) /.test(line))
  }
  expect(await where({ OPENAI_API_KEY: key }, '-m', 'openai/gpt-5')).toEqual([
    'model       openai/gpt-5 (flag)',
    'key         from OPENAI_API_KEY',
  ])
  const file = { model: 'openai-compatible/mm', baseUrl: `http://me:${key}@127.0.0.1:9/v1`, apiKey: key }
  const env = { MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': JSON.stringify(file) }) }
  expect(await where(env)).toEqual([
    'model       openai-compatible/mm (user config)',
    'address     http://***@127.0.0.1:9/v1',
    'key         from user config',
  ])
  expect(await where({}, '-m', 'offline')).toEqual(['model       offline (flag)'])
})

const kept = (files: Record<string, object | string>) => ({
  MUTSUMI_CONFIG_DIR: makeFolder(
    Object.fromEntries(
      Object.entries(files).map(([name, file]) => [
        name,
        typeof file === 'string' ? file : JSON.stringify(file),
      ]),
    ),
  ),
})

test.for([
  ['an unknown tool', { rule: 'Bsh', decision: 'allow' }, 'Bsh'],
  ['no decision', { rule: 'Bash' }, 'expected one of'],
] as const)('A8 H1 doctor and permissions report a stored rule with %s', async ([, rule, says]) => {
  const env = kept({ 'permissions.json': { rules: [rule] } })
  const folder = makeFolder()
  const doctor = await run(folder, ['doctor'], { env })
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(/^permission {2}cannot be used$/m)])
  expect(doctor.stdout).toMatch(new RegExp(`^  problem  .*${says}`, 'm'))
  const listed = await run(folder, ['permissions'], { env })
  expect([listed.code, listed.stderr]).toEqual([1, expect.stringContaining(says)])
  expect((await run(folder, ['-p', 'hi', '-m', 'offline'], { env })).code).not.toBe(0)
})

test('R7 H1 doctor reports a folder in which no session can be written', async () => {
  const folder = makeFolder({ '.mutsumi/sessions': 'a file in the place of the folder' })
  const { code, stdout } = await run(folder, ['doctor'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^ {2}problem .*sessions is not a folder$/m)
  expect(stdout).toMatch(/^ {2}solution .*--no-session runs without saving anything/m)
})

test('R7 H1 doctor reports a file that is named as the folder above the sessions', async () => {
  const folder = makeFolder({ '.mutsumi': 'a file' })
  const { code, stdout } = await run(folder, ['doctor'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^ {2}problem .*\.mutsumi is not a folder$/m)
})

test('H1 doctor shows every fault of a config, each once, and the model all the same', async () => {
  const env = kept({ 'config.json': { ghst: 1, protocol: 'telepathy', model: 'offline' } })
  const { stdout } = await run(makeFolder(), ['doctor'], { env })
  expect(stdout).toContain('unknown setting "ghst"')
  expect(stdout).toContain('takes auto or react or native')
  expect(stdout).toContain('model       offline (user config)')
  const broken = await run(makeFolder(), ['doctor', '-m', 'offline'], { env: kept({ 'config.json': '{' }) })
  expect(broken.stdout.match(/is not valid JSON|not JSON/gi)).toHaveLength(1)
  expect(broken.stdout).toContain('model       offline (flag)')
})

test.for([
  [['-m', 'anthropic/claude-sonnet-5'], 'native (auto: the model decides)'],
  [['-m', 'openai-compatible/m', '--base-url', 'http://127.0.0.1:9/v1'], 'react (auto: the model decides)'],
  [['-m', 'offline'], 'react (auto: the model decides)'],
  [['-m', 'anthropic/claude-sonnet-5', '-c', 'protocol=react'], 'react (-c protocol)'],
] as const)('A2 H1 doctor %s: the protocol is %s', async ([flags, finding]) => {
  const env = { MUTSUMI_CONFIG_DIR: makeFolder(), ANTHROPIC_API_KEY: 'sk-ant-0123456789' }
  const { protocol } = (await runJson(makeFolder(), ['doctor', '--offline', ...flags], { env })) as {
    protocol: string
  }
  expect(protocol).toBe(finding)
})

test('T7 H1 doctor names the setting that gave commands the network', async () => {
  const { stdout } = await run(makeFolder(), ['doctor', '-c', 'network=true'])
  expect(stdout).toMatch(/^network {5}commands have access(?: \(-c network\)|: only a sandbox)/m)
})

describe('H1 doctor and the model’s server', () => {
  const key = 'sk-secret-0123456789'
  const flagsOf = (url: string) => ['doctor', '-m', 'openai-compatible/mm', '--base-url', url]
  const lines = (stdout: string) =>
    stdout.split('\n').filter((line) => /^(server|keys| {2}problem)/.test(line))

  test('H1 for a server that answers, doctor names a model that it does not list, and keys by name', async () => {
    const server = await modelServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"other"}]}')
    })
    const { code, stdout } = await run(makeFolder(), flagsOf(server.url), { env: { MUTSUMI_API_KEY: key } })
    expect(code).toBe(0)
    expect(lines(stdout)).toEqual([
      expect.stringMatching(/^server {6}answers \(\d+ ms\); mm is not among the models that it lists$/),
      'keys        MUTSUMI_API_KEY',
    ])
    expect(stdout).not.toContain(key)
    expect(server.requests).toMatchObject([
      { path: '/v1/models', headers: { authorization: `Bearer ${key}` } },
    ])
  })

  test('H1 a rejected key and an unreachable server are problems', async () => {
    const refusing = await modelServer((response) => void response.writeHead(401).end(`bad ${key}`))
    const refused = await run(makeFolder(), flagsOf(refusing.url), { env: { MUTSUMI_API_KEY: key } })
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringContaining('does not accept the key (401)'),
    ])
    expect(refused.stdout).toContain('check the key from MUTSUMI_API_KEY')
    expect(refused.stdout).not.toContain(key)
    const gone = await run(makeFolder(), flagsOf('http://127.0.0.1:9/v1'))
    expect([gone.code, gone.stdout]).toEqual([1, expect.stringContaining('Nothing listens on 127.0.0.1:9')])
    const offline = await run(makeFolder(), [...flagsOf('http://127.0.0.1:9/v1'), '--offline'])
    expect([offline.code, lines(offline.stdout)]).toEqual([0, ['keys        none in the environment']])
  })
})
