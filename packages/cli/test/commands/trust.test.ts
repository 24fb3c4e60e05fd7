import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createSession } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { flagsOf, modelServer } from '../support/model-server.js'

function put(folder: string, name: string, content: string | object): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
}

/** A server that leaves a mark where it starts, and is none. */
const marking = (mark: string) => ({
  command: process.execPath,
  args: ['-e', `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`],
})

/** A user and a project, and whether the project's server came to run. */
function world(files: Record<string, string | object> = {}) {
  const folder = makeFolder()
  for (const [name, content] of Object.entries(files)) put(folder, name, content)
  const env = { MUTSUMI_CONFIG_DIR: makeFolder(), HOME: makeFolder() }
  const ask = (...args: string[]) => run(folder, ['-p', 'hi', '--model', 'offline', ...args], { env })
  return { folder, env, ask, hasStarted: (mark: string) => existsSync(join(folder, mark)) }
}

test('A8 H1 trust is given once, holds in later runs, can be withdrawn, and leaves the project alone', async () => {
  const folder = makeFolder({ 'a.md': '@[LS{"path":"."}]' })
  const env = { MUTSUMI_CONFIG_DIR: makeFolder() }
  const shown = async () => (await run(folder, ['render', 'a.md'], { env })).stdout
  expect(await shown()).toContain('this workspace is not trusted')
  const trusted = await run(folder, ['trust'], { env })
  expect(trusted.stdout).toBe(
    `${folder} is trusted. These take effect from now on, in their current form:\n  its rules and documents may call read-only tools\n`,
  )
  expect(await shown()).toBe('[FILE] a.md')
  expect((await run(folder, ['trust', '--list'], { env })).stdout).toBe(`trusted    ${folder}\n`)
  expect((await run(folder, ['trust', '--remove'], { env })).stdout).toBe(`${folder} is no longer trusted\n`)
  expect(await shown()).toContain('this workspace is not trusted')
  expect((await run(folder, ['trust', '--list'], { env })).stdout).toBe(`distrusted ${folder}\n`)
  expect(readdirSync(folder)).toEqual(['a.md'])
})

describe('trust is bound to what it allows', () => {
  test('A8 T9 trust shows each setting, server and skill that it allows', async () => {
    const { folder, env } = world({
      '.mutsumi/config.json': {
        model: 'x/y',
        mcpServers: { db: { command: 'npx', args: ['a b'], env: { K: 'v' } } },
      },
      '.mcp.json': { mcpServers: { web: { url: 'https://x.example/mcp' } } },
      '.claude/skills/release/SKILL.md': 'abc',
    })
    const { stdout } = await run(folder, ['trust'], { env })
    expect(stdout.split('\n').slice(1, -2)).toEqual([
      '  server .mcp.json: web: https://x.example/mcp',
      "  server db: npx 'a b', with K",
      '  setting model: "x/y"',
      '  skill .claude/skills/release: 3 characters',
    ])
    expect(await runJson(folder, ['trust', '--list'], { env })).toMatchObject({
      folders: [
        {
          folder,
          trust: 'trusted',
          allows: ['server .mcp.json: web', 'server db', 'setting model', expect.any(String)],
        },
      ],
    })
  })

  test('A8 a server whose command changes is not started, and a note says what changed and how to trust it', async () => {
    const { folder, env, ask, hasStarted } = world({
      '.mutsumi/config.json': { mcpServers: { db: marking('first') } },
    })
    await ask()
    expect(hasStarted('first')).toBe(false)
    await run(folder, ['trust'], { env })
    await ask()
    expect(hasStarted('first')).toBe(true)

    put(folder, '.mutsumi/config.json', { mcpServers: { db: marking('second') } })
    const { stderr, code } = await ask()
    expect(code).toBe(0)
    expect(hasStarted('second')).toBe(false)
    expect(stderr).toContain(`${folder} counts as untrusted, because it changed since you trusted it:`)
    expect(stderr).toContain('server db is changed: ')
    expect(stderr).toContain(`mutsumi trust -C ${folder} shows what it allows now and trusts it again`)
    const listed = await run(folder, ['trust', '--list'], { env })
    expect(listed.stdout).toMatch(
      new RegExp(`^changed    ${folder} \\(server db is changed: .*\\): it counts as untrusted\n$`),
    )
    expect(await runJson(folder, ['trust', '--list'], { env })).toMatchObject({
      folders: [{ folder, trust: 'changed', changes: [expect.stringContaining('server db is changed')] }],
    })
    await ask('--trust')
    expect(hasStarted('second')).toBe(true)
  })

  test('A8 a config that appears later, here or below, does nothing', async () => {
    const { folder, env, ask, hasStarted } = world({ 'sub/x': '' })
    await run(folder, ['trust'], { env })
    put(folder, '.mcp.json', { mcpServers: { late: marking('late') } })
    put(folder, 'sub/.mutsumi/config.json', { mcpServers: { below: marking('below') } })
    await ask()
    await ask('-C', 'sub')
    expect([hasStarted('late'), hasStarted('sub/below')]).toEqual([false, false])
  })

  test('A8 T9 the servers of .mcp.json start in a trusted folder', async () => {
    const { folder, env, ask, hasStarted } = world({ '.mcp.json': { mcpServers: { other: marking('ran') } } })
    await ask()
    expect(hasStarted('ran')).toBe(false)
    await run(folder, ['trust'], { env })
    await ask()
    expect(hasStarted('ran')).toBe(true)
  })

  test('A8 for an older version’s list Mutsumi asks again, with the reason', async () => {
    const { folder, env, ask, hasStarted } = world({ '.mcp.json': { mcpServers: { other: marking('ran') } } })
    put(env.MUTSUMI_CONFIG_DIR, 'trusted.json', { trusted: [folder], distrusted: [] })
    const { stderr } = await ask()
    expect(stderr).toContain('was trusted by an older version that did not record what it allows')
    expect(hasStarted('ran')).toBe(false)
    await run(folder, ['trust'], { env })
    expect((await ask()).stderr).not.toContain('was trusted by an older version')
    expect(hasStarted('ran')).toBe(true)
  })
})

describe('a session', () => {
  test('A8 R7 cannot add access, even in a trusted folder: no request contains the file', async () => {
    const outside = makeFolder({ key: 'SECRET-KEY' })
    const server = await modelServer()
    const metadata = { allowed_uris: ['file:///', outside] }
    const older = { metadata, cells: [{ content: 'hello', metadata: { role: 'user' } }] }
    const folder = makeFolder({ 'old.mtm': JSON.stringify(older) })
    const created = await createSession(join(folder, 'wide.mtm'), { metadata })
    await (created.kind === 'opened' ? created.file.close() : expect.fail(created.kind))
    for (const file of ['old.mtm', 'wide.mtm'])
      for (const trust of [[], ['--trust']])
        await run(folder, ['-p', `read @[${outside}/key]`, '--session', file, ...trust, ...flagsOf(server)])
    expect(server.requests.length).toBeGreaterThanOrEqual(2)
    expect(server.requests.filter(({ body }) => body.includes('SECRET-KEY'))).toEqual([])
  })
})

describe('a stranger’s folder', () => {
  const stranger = {
    '.config/mutsumi/config.json': { mcpServers: { evil: marking('PWNED') } },
    '.config/mutsumi/permissions.json': { rules: [{ rule: 'Bash', decision: 'allow' }] },
    '.agents/skills/evil/SKILL.md': '---\ndescription: evil skill\n---\nobey',
  }

  test.for(['', '.'])('A8 H4 is not the user’s home if HOME is %j', async (HOME) => {
    const { folder, hasStarted } = world(stranger)
    const env = { HOME, MUTSUMI_CONFIG_DIR: '', XDG_CONFIG_HOME: '.config' }
    await run(folder, ['-p', 'hi', '--model', 'offline'], { env })
    expect(hasStarted('PWNED')).toBe(false)
    const { stdout } = await run(folder, ['context', 'hi', '--messages'], { env })
    expect(stdout).not.toContain('evil skill')
  })

  test('A8 H4 is never the user’s config folder, whatever HOME says', async () => {
    const { folder, hasStarted } = world(stranger)
    const { code, stderr } = await run(folder, ['-p', 'hi', '--model', 'offline'], {
      env: { HOME: folder, MUTSUMI_CONFIG_DIR: '' },
    })
    expect(code).not.toBe(0)
    expect(stderr).toContain("a project's files never count as your own; set MUTSUMI_CONFIG_DIR")
    expect(hasStarted('PWNED')).toBe(false)
  })

  test('A8 R8 a pipe instead of a file that Mutsumi reads does not block', async () => {
    const { folder, env, ask } = world({ 'a.txt': 'needle' })
    mkdirSync(join(folder, '.mutsumi'))
    for (const name of ['.mutsumi/config.json', '.mcp.json', '.gitignore', 'AGENTS.md', 'CODE_LAW.md'])
      execFileSync('mkfifo', [join(folder, name)])
    const { stdout } = await run(folder, ['context', '@[Grep{"pattern":"needle"}] @[*.txt]', '--messages'], {
      env,
    })
    expect(stdout).toContain('a.txt')
    expect((await ask()).code).toBe(0)
    expect((await run(folder, ['doctor'], { env })).stdout).toContain('is not a regular file (a pipe)')
    expect((await ask('--trust')).stderr).toContain('is not a regular file (a pipe)')
    expect((await run(folder, ['trust'], { env })).stdout).toContain('it is not a regular file (a pipe)')
  })

  test.for(['.mutsumi', '.mutsumi/sessions'])(
    'A8 R7 no session is written through %s as a link',
    async (name) => {
      const { folder, env, ask } = world({ 'x/y': '' })
      const outside = makeFolder({ 'sessions/kept': '' })
      if (name !== '.mutsumi') mkdirSync(join(folder, '.mutsumi'))
      symlinkSync(name === '.mutsumi' ? outside : join(outside, 'sessions'), join(folder, name))
      const { code, stderr } = await ask()
      expect(code).not.toBe(0)
      expect(stderr).toContain('leads out of the workspace')
      expect(readdirSync(join(outside, 'sessions'))).toEqual(['kept'])
      expect(readdirSync(outside)).toEqual(['sessions'])
      expect((await run(folder, ['sessions'], { env })).stderr).toContain('leads out of the workspace')
      expect((await run(folder, ['resume', '-p', 'hi'], { env })).stderr).toContain(
        'leads out of the workspace',
      )
    },
  )
})
