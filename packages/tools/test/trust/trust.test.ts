import { chownSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Workspace } from '../../src/index.js'
import { findSkills, readSkillFiles } from '../../src/skills/find-skills.js'
import { allowancesOf, readProjectFiles } from '../../src/trust/project-allowances.js'
import { TrustStore } from '../../src/trust/trust-store.js'
import { doubtOfConfig, userConfigFolder } from '../../src/user/user-config.js'
import { listedHome, userHome } from '../../src/user/user-home.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function storeOf(trustedJson?: string) {
  const folder = temporaryFolder({ 'a/b/c/x': '', 'a-evil/x': '' })
  if (trustedJson !== undefined) folder.write({ 'config/trusted.json': trustedJson })
  const store = new TrustStore(folder.at('config'))
  const allowances = (name: string) =>
    allowancesOf(
      folder.at(name),
      readProjectFiles(folder.at(name)),
      readSkillFiles(new Workspace({ root: folder.at(name) })),
    )
  const check = (name: string) => store.check(folder.at(name), allowances(name))
  return {
    folder,
    store,
    allowances,
    check,
    trust: (name: string) => store.trust(folder.at(name), allowances(name)),
    isTrusted: (name: string) => check(name).kind === 'trusted',
  }
}

describe('trust', () => {
  test('A8 begins with no folder, and covers folders inside a trusted one', () => {
    const { folder, trust, isTrusted } = storeOf()
    expect(isTrusted('a')).toBe(false)
    expect(trust('a/b')).toEqual({ kind: 'saved' })
    expect(['a', 'a/b', 'a/b/c', 'a-evil'].map(isTrusted)).toEqual([false, true, true, false])
    expect(statSync(folder.at('config/trusted.json')).mode & 0o777).toBe(0o600)
    expect(new TrustStore(folder.at('config')).check(folder.at('a/b'), [])).toEqual({ kind: 'trusted' })
  })

  test('A8 can be withdrawn, even for a folder inside a trusted one', () => {
    const { folder, store, trust, isTrusted } = storeOf()
    trust('a')
    store.distrust(folder.at('a/b'))
    expect(['a', 'a/b', 'a/b/c'].map(isTrusted)).toEqual([true, false, false])
    trust('a/b/c')
    expect(['a', 'a/b', 'a/b/c'].map(isTrusted)).toEqual([true, false, true])
    store.distrust(folder.at('a'))
    trust('a/b')
    expect(['a', 'a/b', 'a/b/c'].map(isTrusted)).toEqual([false, true, true])
  })

  test('A8 belongs to the real folder: a link neither moves it elsewhere nor adds it', () => {
    const { folder, store, isTrusted } = storeOf()
    folder.link('link', folder.at('a'))
    store.trust(folder.at('link'), [])
    expect(isTrusted('a')).toBe(true)
    folder.link('a/out', folder.at('a-evil'))
    expect(isTrusted('a/out')).toBe(false)
    expect(JSON.parse(readFileSync(folder.at('config/trusted.json'), 'utf8'))).toEqual({
      trusted: [{ folder: folder.at('a'), allows: [] }],
      distrusted: [],
    })
  })

  test('A8 cannot be given to the whole disk, or to a missing folder', () => {
    const { store, folder } = storeOf()
    expect(store.trust('/', [])).toMatchObject({ kind: 'fault' })
    expect(store.trust(folder.at('missing'), [])).toMatchObject({ kind: 'fault' })
  })

  test.for(['{', '[]', '{"trusted":"/"}', ''])(
    'A8 a broken file trusts nothing and stays as it is: %j',
    (content) => {
      const { folder, check, trust } = storeOf(content)
      expect(check('a')).toMatchObject({
        kind: 'fault',
        message: expect.stringContaining('no folder is trusted until it is repaired'),
      })
      expect(trust('a')).toMatchObject({ kind: 'fault', message: expect.stringContaining('repair') })
      expect(readFileSync(folder.at('config/trusted.json'), 'utf8')).toBe(content)
    },
  )
})

describe('trust is bound to what it allows', () => {
  const server = (command: string, more = {}) => JSON.stringify({ mcpServers: { db: { command, ...more } } })

  test('A8 a new server, setting or skill ends it; a removed one does not', () => {
    const { folder, check, trust } = storeOf()
    trust('a')
    folder.write({ 'a/.mutsumi/config.json': '{"model":"x/y"}' })
    expect(check('a')).toEqual({ kind: 'changed', changes: ['setting model is new: "x/y"'] })
    trust('a')
    folder.write({ 'a/.mutsumi/config.json': '{}' })
    expect(check('a')).toEqual({ kind: 'trusted' })
    folder.write({ 'a/.mcp.json': server('npx', { args: ['-y', 'it is'] }) })
    expect(check('a')).toEqual({
      kind: 'changed',
      changes: ["server .mcp.json: db is new: npx -y 'it is'"],
    })
    trust('a')
    folder.write({ 'a/.claude/skills/release/SKILL.md': 'x' })
    expect(check('a')).toMatchObject({ changes: ['skill .claude/skills/release is new: 1 characters'] })
  })

  test.for([
    ['command', server('other')],
    ['arguments', server('npx', { args: ['b'] })],
    ['environment', server('npx', { args: ['a'], env: { NODE_OPTIONS: '--require=./b.js' } })],
    ['folder', server('npx', { args: ['a'], cwd: 'b' })],
  ])('A8 another %s of a server ends it', ([, changed]) => {
    const { folder, check, trust } = storeOf()
    folder.write({ 'a/.mutsumi/config.json': server('npx', { args: ['a'] }) })
    trust('a')
    expect(check('a')).toEqual({ kind: 'trusted' })
    folder.write({ 'a/.mutsumi/config.json': changed ?? '' })
    expect(check('a')).toEqual({
      kind: 'changed',
      changes: [expect.stringMatching(/^server db is changed: /)],
    })
  })

  test.for([
    ['a script', { command: 'node', args: ['srv.js'] }],
    ['a script by its whole path', { command: 'ROOT/srv.js' }],
    ['a script without its ending', { command: 'node', args: ['./srv'] }],
    ['a script in its folder', { command: 'node', args: ['../srv.js'], cwd: 'b' }],
    ['an option', { command: 'node', args: ['--import=./srv.js', 'elsewhere'] }],
    ['a shell', { command: 'sh', args: ['-c', 'cd . && node srv.js'] }],
    ['a variable', { command: 'npx', env: { NODE_OPTIONS: '--require ./srv.js' } }],
    ['a link', { command: 'node', args: ['link.js'] }],
    ['a module', { command: 'python3', args: ['-m', 'srv.main'] }],
    ['a script of the package', { command: 'npm', args: ['run', 'server'] }],
  ] as const)('A8 a changed file that a server runs ends it: %s', ([, definition]) => {
    const { folder, check, trust } = storeOf()
    const files = (text: string) => ({ 'a/srv.js': text, 'a/srv/main.py': text, 'a/package.json': text })
    const line = JSON.stringify({ mcpServers: { db: definition } }).replace('ROOT', folder.at('a'))
    folder.write({ 'a/.mcp.json': line, 'a/other.js': 'x', ...files('one') })
    folder.link('a/link.js', 'srv.js')
    trust('a')
    folder.write({ 'a/other.js': 'y', 'a/b/new.js': '' })
    expect(check('a')).toEqual({ kind: 'trusted' })
    folder.write(files('two'))
    expect(check('a')).toEqual({
      kind: 'changed',
      changes: [expect.stringMatching(/^server \.mcp\.json: db is changed: .* as now$/)],
    })
  })

  test('A8 a server is shown whole, with the variables that load code', () => {
    const { folder, allowances } = storeOf()
    const env = { NODE_OPTIONS: '--require ./x.js', LD_PRELOAD: './x.so', KEY: 'secret', BASH_ENV: 'x' }
    const args = ['-y', 'y'.repeat(400), 'end']
    folder.write({ 'a/.mcp.json': server('npx', { args, env, cwd: 'b' }) })
    expect(allowances('a')).toMatchObject([
      {
        shown: `npx -y ${'y'.repeat(400)} end, in b, with NODE_OPTIONS='--require ./x.js', LD_PRELOAD=./x.so, KEY, BASH_ENV=x`,
      },
    ])
  })

  test('A8 the order of keys and spaces in a file do not count as changes', () => {
    const { folder, check, trust } = storeOf()
    folder.write({ 'a/.mutsumi/config.json': '{"ghost":{"format":"raw","budget":0.5},"model":"x/y"}' })
    trust('a')
    folder.write({
      'a/.mutsumi/config.json': '{\n "model": "x/y",\n "ghost": {"budget": 0.5, "format": "raw"}\n}\n',
    })
    expect(check('a')).toEqual({ kind: 'trusted' })
  })

  test('A8 a folder below a trusted one is not trusted with a config, or a repository, of its own', () => {
    const { folder, trust, isTrusted } = storeOf()
    trust('a')
    folder.write({ 'a/b/.mutsumi/config.json': '{}', 'a/cloned/.git/config': '', 'a/plain/x': '' })
    expect(['a', 'a/b', 'a/cloned', 'a/plain'].map(isTrusted)).toEqual([true, false, false, true])
    trust('a/b')
    expect(isTrusted('a/b')).toBe(true)
  })

  test('A8 for a list of paths from an older version, Mutsumi asks again, once', () => {
    const { folder, check, store, trust } = storeOf()
    folder.write({ 'config/trusted.json': JSON.stringify({ trusted: [folder.at('a')] }) })
    expect(check('a')).toEqual({ kind: 'unbound' })
    expect(store.list()).toEqual({
      kind: 'folders',
      folders: [{ folder: folder.at('a'), trust: 'unbound', allows: [] }],
    })
    trust('a')
    expect(check('a')).toEqual({ kind: 'trusted' })
  })

  test('A8 an unreadable config counts as a part too: a pipe, a link that leads outside, invalid JSON', () => {
    const { folder, allowances } = storeOf()
    folder.write({ 'secret.json': '{"model":"x"}', 'a/.mcp.json': 'not JSON' })
    folder.link('a/.mutsumi/config.json', folder.at('secret.json'))
    expect(allowances('a').map(({ name, shown }) => `${name}: ${shown}`)).toEqual([
      'file .mcp.json: it is not a JSON object',
      'file .mutsumi/config.json: it is outside the folders this session may read',
    ])
    folder.pipe('a-evil/.mutsumi/config.json')
    expect(allowances('a-evil')).toMatchObject([{ shown: 'it is not a regular file (a pipe)' }])
  })

  test('T9 a skill that the user has not seen is data, even in a trusted workspace', async () => {
    const { folder, allowances } = storeOf()
    const skill = (text: string) => `---\ndescription: ${text}\n---\n${text}`
    folder.write({
      'a/.claude/skills/one/SKILL.md': skill('one'),
      'a/.agents/skills/two/SKILL.md': skill('two'),
    })
    const approved = new Set(allowances('a').map(({ hash }) => hash))
    folder.write({ 'a/.agents/skills/two/SKILL.md': skill('another') })
    const workspace = new Workspace({ root: folder.at('a') })
    const find = async (trusted: boolean) =>
      (await findSkills({ workspace, trusted, approved, home: folder.at('home') })).skills.map(
        ({ name, trusted: isTrusted }) => `${name} ${isTrusted}`,
      )
    expect(await find(true)).toEqual(['one true', 'two false'])
    expect(await find(false)).toEqual(['two false'])
  })
})

describe("the user's own folder", () => {
  test('A8 the config is where MUTSUMI_CONFIG_DIR says, otherwise where XDG says, never in a relative path', () => {
    expect(userConfigFolder({ MUTSUMI_CONFIG_DIR: '/m', XDG_CONFIG_HOME: '/x' }, '/h')).toBe('/m')
    expect(userConfigFolder({ XDG_CONFIG_HOME: '/x' }, '/h')).toBe('/x/mutsumi')
    expect(userConfigFolder({}, '/h')).toBe('/h/.config/mutsumi')
    expect(userConfigFolder({ MUTSUMI_CONFIG_DIR: '', XDG_CONFIG_HOME: 'x' }, '/h')).toBe(
      '/h/.config/mutsumi',
    )
    expect(userConfigFolder({ MUTSUMI_CONFIG_DIR: 'evil' }, '/h')).toBe('/h/.config/mutsumi')
  })

  test('A8 an empty or relative HOME is ignored: the system knows the home folder', () => {
    expect(userHome({ HOME: '/h' })).toBe('/h')
    for (const HOME of ['', '.', 'project']) expect(userHome({ HOME })).toBe(listedHome())
    expect(userHome({})).toBe(listedHome())
    expect(userConfigFolder({ HOME: '', XDG_CONFIG_HOME: 'x' })).toBe(`${listedHome()}/.config/mutsumi`)
  })

  test("A8 a config folder in the workspace is the project's, unless it is the real home's", () => {
    const { path, at, link } = temporaryFolder({ 'ws/.config/mutsumi/config.json': '{}' })
    expect(doubtOfConfig(at('ws'), at('ws/.config/mutsumi'))).toBe('in-workspace')
    expect(doubtOfConfig(at('ws'), at('elsewhere'))).toBeUndefined()
    link('link', at('ws'))
    expect(doubtOfConfig(at('ws'), at('link/.config/mutsumi'))).toBe('in-workspace')
    expect(doubtOfConfig(path, at('ws/new'))).toBe('in-workspace')
    expect(doubtOfConfig(listedHome(), userConfigFolder({}, listedHome()))).toBeUndefined()
  })

  test.for(['.git/HEAD', '.mutsumi/config.json'])(
    "A8 a config folder beside the workspace is the project's if %s is around both",
    (name) => {
      const { at } = temporaryFolder({ [`clone/${name}`]: '', 'clone/sub/a.ts': '', 'other/a.ts': '' })
      const [root, config] = [at('clone/sub'), at('clone/.config/mutsumi')]
      expect(doubtOfConfig(root, config, {})).toBe('in-project')
      expect(doubtOfConfig(root, config, { MUTSUMI_CONFIG_DIR: config })).toBeUndefined()
      expect(doubtOfConfig(at('other'), config, {})).toBeUndefined()
    },
  )

  test.skipIf(process.getuid?.() !== 0)('A8 a config folder of another user is not used', () => {
    const { at } = temporaryFolder({ 'home/mutsumi/config.json': '{}', 'ws/a.ts': '' })
    expect(doubtOfConfig(at('ws'), at('home/mutsumi'), {})).toBeUndefined()
    chownSync(at('home/mutsumi'), 12345, 12345)
    expect(doubtOfConfig(at('ws'), at('home/mutsumi'), {})).toBe('of-another-user')
    expect(doubtOfConfig(at('ws'), at('home/mutsumi'), { MUTSUMI_CONFIG_DIR: '/x' })).toBeUndefined()
  })
})
