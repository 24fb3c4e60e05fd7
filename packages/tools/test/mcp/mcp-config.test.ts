import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findMcpServers, Workspace } from '../../src/index.js'
import { callerOf, connect, startHttpServer } from '../support/mcp-fixture.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const script = fileURLToPath(new URL('../support/mcp-server.mjs', import.meta.url))

interface Configs {
  readonly user?: unknown
  readonly workspace?: unknown
  readonly env?: Readonly<Record<string, string>>
}

/** The user's config and a workspace's, as files. */
function configs({ user, workspace, env = {} }: Configs) {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const home = temporaryFolder(user === undefined ? {} : { 'config.json': text(user) })
  const folder = temporaryFolder(workspace === undefined ? {} : { '.mutsumi/config.json': text(workspace) })
  const find = () =>
    findMcpServers({ workspace: new Workspace({ root: folder.path }), folder: home.path, env })
  return { home, folder, find }
}

describe('servers from the config files', () => {
  test('T9 over stdio and HTTP, of the user and of the workspace, are found with their origin', async () => {
    const { find, folder } = configs({
      user: {
        theme: 'dark',
        mcpServers: {
          files: { command: 'npx', args: ['-y', 'server'], env: { A: '1' }, cwd: '/tmp', timeout_ms: 5000 },
          web: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
          off: { command: 'server', disabled: true },
        },
      },
      workspace: { mcpServers: { local: { command: './server', cwd: 'tools' } } },
    })
    expect(await find()).toEqual({
      servers: {
        files: {
          origin: 'user',
          command: 'npx',
          args: ['-y', 'server'],
          env: { A: '1' },
          cwd: '/tmp',
          timeoutMs: 5000,
        },
        web: { origin: 'user', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
        local: { origin: 'workspace', command: './server', args: [], env: {}, cwd: folder.at('tools') },
      },
      disabled: { off: { origin: 'user', command: 'server', args: [], env: {} } },
      problems: [],
    })
  })

  test('T9 are none if there is no file, or no such key in it', async () => {
    const none = { servers: {}, disabled: {}, problems: [] }
    expect(await configs({}).find()).toEqual(none)
    expect(await configs({ user: {}, workspace: { other: 1 } }).find()).toEqual(none)
  })

  test.each([
    ['no object', 'x', '', 'must be an object'],
    ['neither a command nor a url', {}, '', 'needs a command or a url'],
    ['both', { command: 'a', url: 'http://b' }, '', 'has both command and url; give one'],
    ['a command that is not a text', { command: 5 }, '.command', 'expected string'],
    ['an empty command', { command: '' }, '.command', 'Too small'],
    ['arguments that are not texts', { command: 'a', args: ['x', 1] }, '.args.1', 'expected string'],
    ['a variable that is not a text', { command: 'a', env: { N: 1 } }, '.env.N', 'expected string'],
    ['another address than http', { url: 'ftp://a' }, '.url', 'is not an http or https address'],
    ['a transport of old', { url: 'http://a', type: 'sse' }, '.type', 'Invalid option'],
    ['a limit of no time', { command: 'a', timeout_ms: 0 }, '.timeout_ms', 'Too small'],
    ['an unknown variable', { command: 'a', env: { K: `\${NOPE}` } }, '.env.K', 'NOPE is not set'],
  ])(
    'T9 with %s are reported by file, key and problem, and do not affect the others',
    async (_, bad, key, problem) => {
      const { find, home } = configs({ user: { mcpServers: { bad, good: { command: 'good' } } } })
      const { servers, problems } = await find()
      expect(Object.keys(servers)).toEqual(['good'])
      expect(problems).toHaveLength(1)
      expect(problems[0]).toContain(`${home.at('config.json')}: mcpServers.bad${key}: `)
      expect(problems[0]).toContain(problem)
    },
  )

  test.each([
    ['no JSON', '{"mcpServers": {', /config\.json.*(could not be read|is not JSON): /],
    ['a list', '[]', /config\.json: must be a JSON object$/],
    ['servers in a list', '{"mcpServers": []}', /config\.json: mcpServers: must be an object/],
  ])(
    'T9 in a file that is %s are left out with a message, and those of the other file stay',
    async (_, text, why) => {
      const good = { mcpServers: { good: { command: 'good' } } }
      for (const files of [
        { user: text, workspace: good },
        { user: good, workspace: text },
      ]) {
        const { servers, problems } = await configs(files).find()
        expect(Object.keys(servers)).toEqual(['good'])
        expect(problems).toEqual([expect.stringMatching(why)])
      }
    },
  )

  test('T9 in a workspace’s file that is a link to the outside, a pipe or a folder are not read', async () => {
    const outside = temporaryFolder({ 'c.json': JSON.stringify({ mcpServers: { x: { command: 'x' } } }) })
    const [linked, piped, folder] = [configs({}), configs({}), configs({ workspace: '' })]
    linked.folder.link('.mutsumi/config.json', outside.at('c.json'))
    piped.folder.pipe('.mutsumi/config.json')
    folder.folder.write({ '.mutsumi/config.json.d/x': '' })
    const problems = [await linked.find(), await piped.find(), await folder.find()].map(
      (found) => found.problems,
    )
    expect(problems).toEqual([
      ['.mutsumi/config.json: is outside the folders this session may read'],
      ['.mutsumi/config.json: is not a regular file (a pipe)'],
      [expect.stringMatching(/^\.mutsumi\/config\.json: is not JSON: /)],
    ])
  })

  test('A8 of the user can use variables of the environment, those of a workspace cannot', async () => {
    const entry = { url: 'https://a.example/mcp', headers: { Authorization: `Bearer \${KEY}` } }
    const { find } = configs({
      user: { mcpServers: { mine: entry, run: { command: 'a', env: { T: `\${KEY}-\${KEY}`, U: '$KEY' } } } },
      workspace: { mcpServers: { theirs: entry } },
      env: { KEY: 'secret-key' },
    })
    const { servers, problems } = await find()
    expect(servers).toEqual({
      mine: { origin: 'user', url: 'https://a.example/mcp', headers: { Authorization: 'Bearer secret-key' } },
      run: { origin: 'user', command: 'a', args: [], env: { T: 'secret-key-secret-key', U: '$KEY' } },
    })
    expect(problems).toEqual([
      expect.stringMatching(
        /^\.mutsumi\/config\.json: mcpServers\.theirs\.headers\.Authorization: \$\{KEY\} /,
      ),
    ])
    expect(JSON.stringify(problems)).not.toContain('secret-key')
  })

  test('A8 of a workspace do not replace the user’s', async () => {
    const { find } = configs({
      user: { mcpServers: { same: { command: 'mine', disabled: true } } },
      workspace: { mcpServers: { same: { command: 'theirs' }, other: { command: 'p' } } },
    })
    const { servers, disabled, problems } = await find()
    expect(Object.keys(servers)).toEqual(['other'])
    expect(disabled).toMatchObject({ same: { origin: 'user', command: 'mine' } })
    expect(problems).toEqual([
      '.mutsumi/config.json: mcpServers.same: your own config already has a server with this name, which is used instead',
    ])
  })

  test('T9 named __proto__ are servers like any other', async () => {
    const { find } = configs({ user: '{"mcpServers": {"__proto__": {"command": "a"}}}' })
    expect(Object.keys((await find()).servers)).toEqual(['__proto__'])
  })

  test('A8 T9 are connected as they are found: the user’s at once, the workspace’s when it is trusted', async () => {
    const http = await startHttpServer()
    const { find } = configs({
      user: { mcpServers: { web: { url: http.url, headers: { Authorization: `Bearer \${KEY}` } } } },
      workspace: { mcpServers: { local: { command: process.execPath, args: [script] } } },
      env: { KEY: 'letmein-please' },
    })
    const { servers } = await find()
    const states = async (trusted: boolean) =>
      (await connect(servers, { trusted })).status.map(({ name, state }) => [name, state])
    expect(await states(false)).toEqual([
      ['web', 'ready'],
      ['local', 'failed'],
    ])
    expect(await states(true)).toEqual([
      ['web', 'ready'],
      ['local', 'ready'],
    ])
  })

  test('T9 have the time for a call that their config gives them', async () => {
    const entry = { command: process.execPath, args: [script] }
    const { find } = configs({ user: { mcpServers: { slow: { ...entry, timeout_ms: 300 } } } })
    const { call } = callerOf(await connect((await find()).servers))
    expect(await call('mcp__slow__never')).toMatchObject({
      error: { code: 'TIMEOUT', message: 'the MCP server slow did not answer within 300 ms' },
    })
  })
})
