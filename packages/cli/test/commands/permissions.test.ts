import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { action, finish, scripted } from '../support/scripted.js'

function user(files: Record<string, string> = {}) {
  const config = makeFolder(files)
  return { config, env: { MUTSUMI_CONFIG_DIR: config, HOME: makeFolder() } }
}

describe('rules', () => {
  test.for([
    ['--allow', 'Edti', 'did you mean Edit?'],
    ['--deny', 'Raed(secrets/**)', 'did you mean Read?'],
    ['--allow', 'Frobnicate', 'the tools are LS, Glob,'],
  ])('A8 H4 %s %s is exit 2, with the nearest name', async ([flag, rule, hint]) => {
    const { code, stderr } = await run(makeFolder(), [
      '-p',
      'hi',
      '--model',
      'offline',
      flag ?? '',
      rule ?? '',
    ])
    expect(code).toBe(2)
    expect(stderr).toContain(`${flag}: the rule ${JSON.stringify(rule)} names the tool`)
    expect(stderr).toContain(hint)
  })

  test('A8 H4 a server’s tool is recognized by the form of its name, and Task is a tool', async () => {
    const flags = ['--allow', 'mcp__a__b,mcp__a,mcp__a__*,Task', '--deny', 'Edit']
    expect((await run(makeFolder(), ['-p', 'hi', '--model', 'offline', ...flags])).code).toBe(0)
  })

  test('A8 T9 a rule for a tool that a connected server does not have gets a warning with the nearest name', async () => {
    const script = join(import.meta.dirname, '../../../tools/test/support/mcp-server.mjs')
    const mcpServers = { s: { command: process.execPath, args: [script, 'normal'] } }
    const { env } = user({ 'config.json': JSON.stringify({ mcpServers }) })
    const flags = ['--allow', 'mcp__s__ecko,mcp__s__echo,mcp__s__*,mcp__s,mcp__other__x']
    const { code, stderr } = await run(makeFolder(), ['-p', 'hi', '--model', 'offline', '-q', ...flags], {
      env,
    })
    expect(code).toBe(0)
    expect(stderr).toBe(
      'mutsumi: --allow mcp__s__ecko: the server has no such tool; did you mean mcp__s__echo?\n',
    )
  })

  test('A8 an unknown tool in permissions.json is exit 2, and names the file', async () => {
    const rules = [{ rule: 'Eidt', decision: 'deny' }]
    const { env, config } = user({ 'permissions.json': JSON.stringify({ rules }) })
    const { code, stderr } = await run(makeFolder(), ['-p', 'hi', '--model', 'offline'], { env })
    expect(code).toBe(2)
    expect(stderr).toContain(`${join(config, 'permissions.json')}: the rule "Eidt" names the tool Eidt`)
    expect(stderr).toContain('did you mean Edit?')
  })

  test('A8 Edit covers Write: a new file is created', async () => {
    const { folder, flags } = scripted([
      { text: action('Write', { path: 'src/new.ts', content: 'x' }) },
      { text: finish('done') },
    ])
    const { code } = await run(folder, ['-p', 'make it', '--allow', 'Edit(src/**)', ...flags])
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'src/new.ts'), 'utf8')).toBe('x')
  })
})

describe('mutsumi allow, deny and permissions', () => {
  test('A8 H1 store rules for this workspace or for all, list them with their origin, and remove them', async () => {
    const { env, config } = user()
    const folder = makeFolder()
    const call = (...args: string[]) => run(folder, args, { env })
    expect((await call('permissions')).stdout).toContain(`there are no rules for ${folder}`)
    expect((await call('allow', 'Bash(npm test:*)', 'Edit(src/**)')).stdout).toBe(
      `allowed Bash(npm test:*) in ${folder}\nallowed Edit(src/**) in ${folder}\n`,
    )
    expect((await call('deny', '--everywhere', 'Read(**/.env)')).stdout).toBe(
      'denied Read(**/.env) everywhere\n',
    )
    await call('allow', 'Edit(src/**)')
    const file = join(config, 'permissions.json')
    expect((await call('permissions')).stdout).toBe(
      [
        `allow Bash(npm test:*)  (here, ${file})`,
        `allow Edit(src/**)  (here, ${file})`,
        `deny  Read(**/.env)  (everywhere, ${file})`,
        '',
      ].join('\n'),
    )
    expect(await runJson(makeFolder(), ['permissions'], { env })).toMatchObject({
      rules: [{ rule: 'Read(**/.env)', decision: 'deny', scope: 'everywhere', source: file }],
    })
    expect((await call('permissions', '--remove', 'Edit(src/**)')).stdout).toBe('removed Edit(src/**)\n')
    expect((await call('permissions', '--remove', 'Edit(src/**)')).stderr).toContain('there is no rule')
    expect(JSON.parse(readFileSync(file, 'utf8')).rules).toHaveLength(2)
  })

  test('A8 H1 say what is wrong with a rule and write nothing', async () => {
    const { env } = user()
    const folder = makeFolder()
    for (const [args, hint] of [
      [['allow', 'Edti'], 'did you mean Edit?'],
      [['allow', 'Bash(a; b)'], 'it must name one command'],
      [['allow', '--everywhere', 'Edit(src/**)'], 'leave out --everywhere'],
      [['allow', ''], 'does not name a tool'],
    ] as const) {
      const { code, stderr } = await run(folder, [...args], { env })
      expect([code, stderr.includes(hint)], stderr).toEqual([2, true])
    }
    expect((await run(folder, ['permissions'], { env })).stdout).toContain('there are no rules for')
  })

  test('A8 a call that was allowed this way runs in the next round, and a broken file stays as it is', async () => {
    const { env, config } = user()
    const { folder, flags } = scripted([
      { text: action('Write', { path: 'a.txt', content: 'x' }) },
      { text: finish('done') },
    ])
    await run(folder, ['allow', 'Write'], { env })
    expect((await run(folder, ['-p', 'go', ...flags], { env })).code).toBe(0)
    writeFileSync(join(config, 'permissions.json'), '{')
    expect((await run(folder, ['allow', 'Edit'], { env })).stderr).toContain('permissions.json')
    expect(readFileSync(join(config, 'permissions.json'), 'utf8')).toBe('{')
  })
})
