import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run } from '../support/command-here.js'

const script = join(import.meta.dirname, '../../../tools/test/support/mcp-server.mjs')

function world() {
  const folder = makeFolder()
  const home = makeFolder()
  const env = { MUTSUMI_CONFIG_DIR: home, HOME: makeFolder() }
  const file = join(home, 'config.json')
  return {
    ...{ folder, file },
    mcp: (...args: string[]) => run(folder, ['mcp', ...args], { env }),
    mutsumi: (...args: string[]) => run(folder, args, { env }),
    servers: (path = file) => JSON.parse(readFileSync(path, 'utf8')).mcpServers,
  }
}

test('T9 H1 a server is added, tried, and removed', async () => {
  const { mcp, servers, file } = world()
  expect((await mcp()).stdout).toContain('no servers; mutsumi mcp add')
  const added = await mcp('add', 'works', '--', process.execPath, script, 'bad-schema')
  expect(added).toEqual({
    code: 0,
    stderr: '',
    stdout: `works is in ${file} now; mutsumi mcp list tries it\n`,
  })
  expect(servers()).toEqual({ works: { command: process.execPath, args: [script, 'bad-schema'] } })
  const { code, stdout } = await mcp('list')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}works +ready +user +\w+, \w+; tool 2 was left out/m)
  const listed = JSON.parse((await mcp('list', '--json')).stdout)
  expect(listed).toMatchObject({
    servers: [{ name: 'works', origin: 'user', state: 'ready', tools: { length: 2 } }],
    problems: [],
  })
  expect(listed.servers[0].tools[0]).toMatch(/^mcp__works__/)
  expect((await mcp('remove', 'works')).stdout).toBe(`works is no longer in ${file}\n`)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({})
})

test('T9 H1 an address with headers, a command with variables, and one that is off', async () => {
  const { mcp, servers } = world()
  await mcp('add', 'search', '--url', 'https://search.example/mcp', '--header', 'Authorization: Bearer x: y')
  await mcp(
    'add',
    'off',
    '--disabled',
    '--cwd',
    'sub',
    '-e',
    'KEY=a=b',
    '--',
    'npx',
    '-y',
    '--flag',
    'tickets',
  )
  expect(servers()).toEqual({
    search: { url: 'https://search.example/mcp', headers: { Authorization: 'Bearer x: y' } },
    off: {
      command: 'npx',
      args: ['-y', '--flag', 'tickets'],
      env: { KEY: 'a=b' },
      cwd: 'sub',
      disabled: true,
    },
  })
})

test.each([
  [['add', 'a b', '--', 'x'], 'is not a valid server name'],
  [['add', 'a__b', '--', 'x'], 'is not a valid server name'],
  [['add', 'a'], 'takes a command after --, or --url'],
  [['add', 'a', '--url', 'https://x', '--', 'x'], 'takes a command after --, or --url'],
  [['add', 'a', '--url', 'ftp://x'], 'is not an http or https address'],
  [['add', 'a', '--url', 'https://x', '-e', 'A=secret'], 'an address takes --header'],
  [['add', 'a', '--header', 'A: secret', '--', 'x'], 'a command takes --env'],
  [['add', 'a', '-e', 'secret', '--', 'x'], '--env takes NAME=VALUE'],
  [['add', 'a', 'npx', '-y', 'x'], "unknown option '-y'"],
])(
  'T9 H1 an entry that cannot be a server is refused, and no value is repeated: %j',
  async (args, message) => {
    const { mcp, file } = world()
    const { code, stderr } = await mcp(...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(stderr).not.toContain('secret')
    expect(existsSync(file)).toBe(false)
  },
)

test('T9 H1 a name that is taken needs --replace, and for an unknown name the error has the nearest', async () => {
  const { mcp, servers } = world()
  await mcp('add', 'tickets', '--', 'one')
  expect(await mcp('add', 'tickets', '--', 'two')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--replace'),
  })
  await mcp('add', 'tickets', '--replace', '--', 'two')
  expect(servers()).toEqual({ tickets: { command: 'two' } })
  expect(await mcp('remove', 'tikets')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('did you mean tickets?'),
  })
  expect((await mcp('remove', '__proto__')).code).toBe(1)
  expect(await mcp('remove', '--project', 'tickets')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('leave out --project'),
  })
})

test('T9 H1 a variable that is not set is reported, and the server is kept', async () => {
  const { mcp, servers } = world()
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is expanded when the server starts.
  const { code, stderr } = await mcp('add', 'a', '-e', 'KEY=${NOT_SET_ANYWHERE}', '--', 'x')
  expect([code, stderr]).toEqual([0, expect.stringContaining('NOT_SET_ANYWHERE is not set')])
  expect(servers().a).toMatchObject({ command: 'x' })
})

test('T9 A8 a server of the project is not started before the folder is trusted', async () => {
  const { mcp, mutsumi, folder, servers, file } = world()
  const added = await mcp('add', '--project', 'local', '--', process.execPath, script, 'bad-schema')
  expect(added.stderr).toContain('It takes effect after you trust the folder: mutsumi trust')
  expect(servers(join(folder, '.mutsumi/config.json'))).toHaveProperty('local')
  expect(existsSync(file)).toBe(false)
  const listed = await mcp('list')
  expect(listed.stdout).toMatch(
    /^ {2}local +failed +workspace +is named by this workspace, which is not trusted/m,
  )
  await mutsumi('trust')
  expect((await mcp('list')).stdout).toMatch(/^ {2}local +ready +workspace/m)
})
