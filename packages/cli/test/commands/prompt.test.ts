import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, mutsumi, run } from '../support/command.js'
import { answerWith, modelServer } from '../support/model-server.js'
import { action, finish, scripted } from '../support/scripted.js'

describe('mutsumi -p', () => {
  test('H1 the answer goes to standard output, the steps to standard error, one line each', async () => {
    const { folder, flags } = scripted([action('Read', { path: 'a.ts' }), finish('a is 1')], {
      'a.ts': 'a = 1\n',
    })
    const { code, stdout, stderr } = await run(folder, ['-p', 'what is a?', ...flags])
    expect(code).toBe(0)
    expect(stdout).toBe('a is 1\n')
    expect(stderr).toBe('· Read a.ts → lines 1 to 1 of 1\n')
  })

  test('H1 --json prints one object', async () => {
    const { folder, flags } = scripted([action('LS', {}), finish('nothing')])
    const { stdout } = await run(folder, ['-p', 'what is here?', '--json', ...flags])
    const summary = JSON.parse(stdout)
    expect(Object.keys(summary)).toEqual([
      'status',
      'answer',
      'session',
      'model',
      'steps',
      'usage',
      'tools',
      'warnings',
    ])
    expect(summary).toMatchObject({
      status: 'done',
      answer: 'nothing',
      model: flags[1],
      steps: 2,
      tools: [{ name: 'LS', status: 'success' }],
      warnings: [],
    })
    expect(summary.usage.input).toBeGreaterThan(100)
    expect(existsSync(summary.session)).toBe(true)
  })

  test('H1 a pipe gets the answer, and no text that turned out not to be the answer', async () => {
    const cut = 'Thought: done\nAction: Finish[Findings:\nObservation: it fails'
    const { folder, flags } = scripted([cut, finish('whole')])
    const { stdout, code } = await run(folder, ['-p', 'hi', ...flags])
    expect({ stdout, code }).toEqual({ stdout: 'whole\n', code: 0 })
  })

  test('H1 --stream-json prints one event per line, and the answer’s pieces together are the answer', async () => {
    const { folder, flags } = scripted([finish('in [several] pieces')])
    const { stdout } = await run(folder, ['-p', 'hi', '--stream-json', ...flags])
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['init', 'round-start'])
    expect(events.at(-1)).toMatchObject({ type: 'round-end', status: 'done', answer: 'in [several] pieces' })
    const pieces = events.filter(({ type }) => type === 'answer').map(({ text }) => text)
    expect(pieces.join('')).toBe('in [several] pieces')
  })

  test('H1 a prompt may be piped in, and a missing one is a usage error', async () => {
    const { folder, flags } = scripted([{ text: finish('read'), expect: 'from the pipe' }])
    expect((await run(folder, [...flags, '-p'], { input: 'from the pipe' })).stdout).toBe('read\n')
    const none = await run(folder, [...flags, '-p'], { input: ' \n' })
    expect([none.code, none.stderr]).toEqual([
      2,
      'mutsumi: -p needs a prompt: mutsumi -p "…", or pipe it in\n',
    ])
  })

  test('H1 --session continues a session and --continue the newest', async () => {
    const { folder, flags } = scripted([finish('first')])
    const expecting = (text: string, wanted: string) =>
      writeFileSync(join(folder, 'script.jsonl'), JSON.stringify({ text: finish(text), expect: wanted }))
    await run(folder, ['-p', 'remember 42', '--session', 'mine.mtm', ...flags])
    expecting('second', 'remember 42')
    expect((await run(folder, ['-p', 'what?', '--session', 'mine.mtm', ...flags])).stdout).toBe('second\n')
    expecting('third', 'a new one')
    await run(folder, ['-p', 'a new one', ...flags])
    expecting('fourth', 'a new one')
    expect((await run(folder, ['-p', 'go on', '--continue', ...flags])).stdout).toBe('fourth\n')
    expect(readdirSync(join(folder, '.mutsumi', 'sessions'))).toEqual([
      '.gitignore',
      'a-new-one.mtm',
      'mine.mtm',
    ])
  })

  test('N3 runs that start together with the same prompt have separate sessions', async () => {
    const { folder, flags } = scripted([finish('ok')])
    const runs = await Promise.all([1, 2, 3, 4].map(() => run(folder, ['-p', 'same words', ...flags])))
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const sessions = readdirSync(join(folder, '.mutsumi', 'sessions')).filter((name) => name.endsWith('.mtm'))
    expect(sessions).toHaveLength(4)
  })

  test('A8 H4 a call that no rule allows is denied with exit code 3, --allow permits it, and --deny overrides that', async () => {
    const edit = action('Edit', { path: 'a.ts', old_string: 'old', new_string: 'new' })
    const replies = [action('Read', { path: 'a.ts' }), edit, finish('ok')]
    const { folder, flags } = scripted(replies, { 'a.ts': 'old\n' })
    const denied = await run(folder, ['-p', 'change', ...flags])
    expect(denied.code).toBe(3)
    expect(denied.stderr).toContain("--allow 'Edit(a.ts)'")
    const both = await run(folder, ['-p', 'change', '--allow', 'Edit', '--deny', 'Edit(a.ts)', ...flags])
    expect([both.code, readFileSync(join(folder, 'a.ts'), 'utf8')]).toEqual([3, 'old\n'])
    const allowed = await run(folder, ['-p', 'change', '--allow', 'Edit(*.ts)', ...flags])
    expect([allowed.code, readFileSync(join(folder, 'a.ts'), 'utf8')]).toEqual([0, 'new\n'])
  })

  test('H4 an invalid rule is a usage error that says why', async () => {
    const { folder, flags } = scripted([])
    const { code, stderr } = await run(folder, ['-p', 'x', '--allow', 'Edit(', ...flags])
    expect(code).toBe(2)
    expect(stderr).toContain('--allow: ')
  })

  test('H4 a setting comes from the flag, otherwise the environment, otherwise the user’s config', async () => {
    const config = makeFolder({ 'config.json': JSON.stringify({ ghost: { format: 'raw' } }) })
    const { folder, flags } = scripted([finish('ok')], { 'a.ts': 'text\n' })
    const requestWith = async (args: string[], env: Record<string, string>) => {
      const trace = makeFolder()
      await run(folder, ['-p', '@[a.ts]', '--trace', trace, ...flags, ...args], { env })
      return readFileSync(join(trace, readdirSync(trace)[0] ?? ''), 'utf8')
    }
    const user = { MUTSUMI_CONFIG_DIR: config }
    expect(await requestWith([], user)).toContain('boundary')
    expect(await requestWith([], { ...user, MUTSUMI_GHOST_FORMAT: 'json' })).not.toContain('\\"boundary')
    expect(await requestWith(['-c', 'ghost.format=raw'], { MUTSUMI_GHOST_FORMAT: 'json' })).toContain(
      'boundary',
    )
  })

  test('H4 an unknown setting in a config is an error that names the nearest', async () => {
    const config = makeFolder({ 'config.json': JSON.stringify({ ghost: { fromat: 'raw' } }) })
    const { folder, flags } = scripted([])
    const { code, stderr } = await run(folder, ['-p', 'x', ...flags], { env: { MUTSUMI_CONFIG_DIR: config } })
    expect(code).toBe(2)
    expect(stderr).toContain('unknown setting "ghost.fromat"; did you mean ghost.format?')
  })

  test('H4 for an invalid value, the error names the file or variable', async () => {
    const config = makeFolder({ 'config.json': JSON.stringify({ protocol: 'telepathy' }) })
    const { folder, flags } = scripted([], { '.mutsumi/config.json': '{"compactTo": 0.9}' })
    const told = async (args: string[], env: Record<string, string>) =>
      (await run(folder, ['-p', 'x', ...flags, ...args], { env })).stderr
    const wrong = 'takes auto or react or native, not "telepathy"\n'
    const file = `mutsumi: ${config}/config.json: protocol: ${wrong}`
    expect(await told([], { MUTSUMI_CONFIG_DIR: config })).toBe(file)
    expect(await told([], { MUTSUMI_PROTOCOL: 'telepathy' })).toBe(`mutsumi: MUTSUMI_PROTOCOL: ${wrong}`)
    expect(await told(['-c', 'protocol=telepathy'], {})).toBe(`mutsumi: -c protocol: ${wrong}`)
    expect(await told(['--trust'], {})).toContain(`${folder}/.mutsumi/config.json: compactTo: 0.9 is above`)
  })

  test('A8 a project’s own config counts only after it is trusted', async () => {
    const server = await modelServer((response) => answerWith(response, finish('from the stranger')))
    const config = JSON.stringify({ model: 'openai-compatible/x', baseUrl: server.url })
    const folder = makeFolder({ '.mutsumi/config.json': config })
    const untrusted = await run(folder, ['-p', 'hello'])
    expect(untrusted.stdout).toContain('offline model')
    expect(server.requests).toHaveLength(0)
    const trusted = await run(folder, ['-p', 'hello', '--trust'])
    expect(trusted.stdout).toBe('from the stranger\n')
  })

  test('A6 without a key and a server the offline model answers from the workspace and says what it is', async () => {
    const folder = makeFolder({
      'src/tax.ts': 'export function taxOf(amount: number) {\n  return amount * 0.19\n}\n',
    })
    const { code, stdout, stderr } = await run(folder, ['-p', 'Where is taxOf defined?'])
    expect(code).toBe(0)
    expect(stdout).toContain('src/tax.ts:1')
    expect(stdout).toContain('offline model')
    expect(stderr).toContain('No model is configured')
  })

  test('A5 a fault of the model gives a message and exit code 4, and the session can continue', async () => {
    const { folder, flags } = scripted([{ fault: { kind: 'auth', message: 'the key was refused' } }])
    const failed = await run(folder, ['-p', 'x', '--session', 's.mtm', ...flags])
    expect([failed.code, failed.stderr]).toEqual([4, 'mutsumi: fault: the key was refused\n'])
    writeFileSync(join(folder, 'script.jsonl'), JSON.stringify(finish('fine')))
    expect((await run(folder, ['-p', 'y', '--session', 's.mtm', ...flags])).code).toBe(0)
  })

  test('A5 an answer streams from a real server, and the key is in no file', async () => {
    const server = await modelServer((response) => answerWith(response, finish('over the wire')))
    const folder = makeFolder()
    const flags = ['--model', 'openai-compatible/m', '--base-url', server.url, '--trace', 'trace']
    const env = { MUTSUMI_API_KEY: 'sk-secret-0123456789' }
    const { stdout } = await run(folder, ['-p', 'hi', ...flags], { env })
    expect(stdout).toBe('over the wire\n')
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-secret-0123456789')
    const written = ['trace', '.mutsumi/sessions'].flatMap((name) =>
      readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file), 'utf8')),
    )
    expect(written).toHaveLength(3)
    for (const text of written) expect(text).not.toContain('sk-secret')
  })

  test('A3 Ctrl-C stops the round at once with exit code 130, and the session stays whole', async () => {
    const { folder, flags } = scripted([{ hang: true }])
    const child = spawn(
      process.execPath,
      [mutsumi, '-p', 'x', '--session', 's.mtm', '--stream-json', ...flags],
      { cwd: folder },
    )
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (data) => String(data).includes('request-start') && resolve()),
    )
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    writeFileSync(join(folder, 'script.jsonl'), JSON.stringify(finish('fine')))
    expect((await run(folder, ['-p', 'y', '--session', 's.mtm', ...flags])).stdout).toBe('fine\n')
  })
})
