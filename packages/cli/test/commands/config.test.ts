import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, run as runProcess } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'

/** A workspace and a user with this config, if any. */
function world(config?: object, project?: object) {
  const folder = makeFolder(project ? { '.mutsumi/config.json': JSON.stringify(project) } : {})
  const home = makeFolder(config ? { 'config.json': JSON.stringify(config) } : {})
  const env = { MUTSUMI_CONFIG_DIR: home }
  const files = { user: join(home, 'config.json'), project: join(folder, '.mutsumi/config.json') }
  return {
    ...{ folder, env, files },
    run: (args: readonly string[], more = {}) =>
      run(folder, ['config', ...args], { env: { ...env, ...more } }),
    json: (args: readonly string[], more = {}) =>
      runJson(folder, ['config', ...args], { env: { ...env, ...more } }),
    userFile: () => JSON.parse(readFileSync(files.user, 'utf8')),
    projectFile: () => JSON.parse(readFileSync(files.project, 'utf8')),
  }
}

describe('config set', () => {
  test('H4 a value has its own type in the file, a run reads it there, and everything else in the file stays', async () => {
    const { folder, env, files, run: config, userFile } = world({ model: 'offline', ghost: { budget: 0.5 } })
    expect(await config(['set', 'ghost.format', 'raw'])).toEqual({
      ...{ code: 0, stderr: '', stdout: `ghost.format is raw now, in ${files.user}\n` },
    })
    await config(['set', 'retainRounds=7'])
    await config(['set', 'network', 'true'])
    await config(['set', 'projectRules', 'AGENTS.md, NOTES.md'])
    await config(['set', 'temperature', '0.5'])
    expect(userFile()).toEqual({
      model: 'offline',
      ghost: { budget: 0.5, format: 'raw' },
      retainRounds: 7,
      network: true,
      projectRules: ['AGENTS.md', 'NOTES.md'],
      temperature: 0.5,
    })
    expect(statSync(files.user).mode & 0o777).toBe(0o600)
    expect((await run(folder, ['context', 'hi'], { env })).code).toBe(0)
  })

  test.each([
    [['set', 'ghost.fromat', 'raw'], 'did you mean ghost.format?'],
    [['set', 'modle', 'openai/x'], 'did you mean model?'],
    [['set', 'ghost.format', 'xml'], 'takes json or raw, not "xml"'],
    [['set', 'compactAt', '2'], 'takes a share between 0 and 1'],
    [['set', 'baseUrl', 'nowhere'], 'must be an address'],
    [['set', 'apiKey', 'a b'], 'must be a text without spaces'],
    [['set', 'model', 'openai/'], 'has no name'],
    [['set', 'mcpServers', '{}'], 'mutsumi mcp add'],
    [['set', '--project', 'apiKey', 'k'], 'leave out --project'],
    [['set', 'compactAt'], 'has no value'],
    [['get', 'ghost'], 'unknown setting "ghost"'],
    [['unset', 'retanRounds'], 'did you mean retainRounds?'],
  ])('H4 config refuses what a run would refuse, and writes nothing: %j', async (args, message) => {
    const { run: config, files } = world()
    const { code, stderr } = await config(args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(existsSync(files.user)).toBe(false)
    expect(existsSync(files.project)).toBe(false)
  })

  test('H4 settings that exclude each other are refused together, as in a run', async () => {
    const { run: config, userFile } = world({ compactAt: 0.5 })
    const { code, stderr } = await config(['set', 'compactTo', '0.9'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('above compactAt, 0.5')])
    expect(userFile()).toEqual({ compactAt: 0.5 })
  })

  test('H4 a name with dots in the file is the same setting', async () => {
    const { run: config, userFile } = world({ 'ghost.format': 'json' })
    await config(['set', 'ghost.format', 'raw'])
    expect(userFile()).toEqual({ ghost: { format: 'raw' } })
    await config(['unset', 'ghost.format'])
    expect(userFile()).toEqual({})
  })

  test('H4 a file with invalid JSON stays as it is', async () => {
    const { run: config, files } = world({})
    writeFileSync(files.user, '{ "a": ')
    const { code, stderr } = await config(['set', 'retainRounds', '3'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not valid JSON')])
    expect(readFileSync(files.user, 'utf8')).toBe('{ "a": ')
  })

  test('H4 changes at the same time lose nothing', async () => {
    const { folder, env, userFile } = world()
    const names = ['fileBytes', 'imageBytes', 'globFiles', 'includeDepth', 'includes', 'includeBytes']
    await Promise.all(
      names.map((name) => runProcess(folder, ['config', 'set', `limits.${name}`, '9'], { env })),
    )
    expect(userFile()).toEqual({ limits: Object.fromEntries(names.map((name) => [name, 9])) })
  })

  test('H4 A8 the project’s file counts after trust, and a link that leads out is not followed', async () => {
    const { folder, run: config, projectFile, files } = world()
    const { stderr } = await config(['set', '--project', 'retainRounds', '3'])
    expect(stderr).toContain('It takes effect after you trust the folder: mutsumi trust')
    expect(projectFile()).toEqual({ retainRounds: 3 })
    expect(existsSync(files.user)).toBe(false)
    expect((await config(['get', '--project', 'retainRounds'])).stdout).toBe('3\n')
    expect((await config(['get', 'retainRounds'])).stdout).toBe('10\n')
    expect((await config(['get', 'retainRounds', '--trust'])).stdout).toBe('3\n')
    const elsewhere = makeFolder()
    const linked = makeFolder()
    symlinkSync(elsewhere, join(linked, '.mutsumi'))
    const refused = await run(linked, ['config', 'set', '--project', 'retainRounds', '3'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('leads out of the workspace')])
    expect(existsSync(join(elsewhere, 'config.json'))).toBe(false)
    expect(folder).not.toBe(linked)
  })
})

describe('config get, list, path', () => {
  test('H4 list shows every setting with its value and where it comes from', async () => {
    const { json, files } = world({ retainRounds: 7, ghost: { format: 'raw' } }, { minMessages: 3 })
    const { settings, problems } = await json(['list', '-c', 'maxSteps=5', '--trust'], {
      MUTSUMI_PROTOCOL: 'react',
    })
    const of = (name: string) => settings.find((each: { name: string }) => each.name === name)
    expect(problems).toEqual([])
    expect(of('retainRounds')).toEqual({ name: 'retainRounds', value: 7, source: files.user })
    expect(of('ghost.format')).toEqual({ name: 'ghost.format', value: 'raw', source: files.user })
    expect(of('minMessages')).toEqual({ name: 'minMessages', value: 3, source: files.project })
    expect(of('protocol')).toEqual({ name: 'protocol', value: 'react', source: 'MUTSUMI_PROTOCOL' })
    expect(of('maxSteps')).toEqual({ name: 'maxSteps', value: 5, source: '-c maxSteps' })
    expect(of('compactAt')).toEqual({ name: 'compactAt', value: expect.any(Number), source: 'default' })
    expect(of('temperature')).toEqual({ name: 'temperature', source: 'default' })
  })

  test('H4 keys, passwords and servers’ variables and headers are never printed', async () => {
    const config = {
      model: 'openai/gpt-5',
      apiKey: 'sk-secret',
      baseUrl: 'https://me:secret@host/v1?token=secret',
      mcpServers: { tickets: { command: 'x', env: { KEY: 'secret' } } },
    }
    const { run: command } = world(config)
    for (const args of [
      [],
      ['list', '--json'],
      ['get', 'apiKey'],
      ['get', 'baseUrl'],
      ['get', 'mcpServers'],
      ['set', 'apiKey', 'sk-secret'],
      ['set', 'apiKey', 'sk-secret', '--json'],
      ['unset', 'apiKey'],
    ]) {
      const { code, stdout, stderr } = await command(args)
      expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('secret')])
    }
    const { stdout } = await command(['list'], { MUTSUMI_API_KEY: 'sk-secret' })
    expect(stdout).toMatch(/^ {2}apiKey +\*\*\* \(set; never shown\) +MUTSUMI_API_KEY$/m)
    expect(stdout).not.toContain('secret')
    expect(stdout).toMatch(/^ {2}mcpServers +tickets /m)
  })

  test('H4 get prints only the value; for a value that is not set the exit code is 1', async () => {
    const { run: command, json, files } = world({ temperature: 0.5 })
    expect(await command(['get', 'temperature'])).toEqual({ code: 0, stdout: '0.5\n', stderr: '' })
    expect(await json(['get', 'temperature'])).toEqual({
      ...{ name: 'temperature', value: 0.5, source: files.user },
    })
    expect(await command(['get', 'reasoningEffort'])).toMatchObject({ code: 1, stdout: '' })
    await command(['unset', 'temperature'])
    expect(await command(['unset', 'temperature'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('temperature is not set in'),
    })
  })

  test('H4 if something overrides a new value, set says so', async () => {
    const { run: command } = world()
    const { stderr } = await command(['set', 'retainRounds', '4'], { MUTSUMI_RETAIN_ROUNDS: '9' })
    expect(stderr).toContain('MUTSUMI_RETAIN_ROUNDS overrides it here.')
  })

  test('H4 a wrong setting in the file is reported, and can be removed', async () => {
    const { run: command, userFile } = world({ retanRounds: 5, minMessages: 4 })
    const { code, stdout, stderr } = await command(['list'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean retainRounds?')])
    expect(stdout).toMatch(/minMessages +4/)
    expect((await command(['unset', 'retanRounds'])).code).toBe(0)
    expect(userFile()).toEqual({ minMessages: 4 })
  })

  test('H4 path names the files', async () => {
    const { run: command, json, files } = world()
    expect((await command(['path'])).stdout).toBe(`${files.user}\n`)
    expect((await command(['path', '--project'])).stdout).toBe(`${files.project}\n`)
    expect(await json(['path'])).toEqual(files)
  })

  test('H4 a config folder inside the workspace is refused here too', async () => {
    const { folder } = world()
    mkdirSync(join(folder, 'config'))
    const env = { MUTSUMI_CONFIG_DIR: join(folder, 'config') }
    expect(await run(folder, ['config', 'set', 'retainRounds', '3'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is in the workspace'),
    })
  })
})
