import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingNames } from '@mutsumi/host'
import { listPresets } from '@mutsumi/model'
import { describe, expect, test } from 'vitest'
import { modelOption } from '../../src/flags/command-parts.js'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { problemsOfEvents, problemsOfRun } from '../support/print-schemas.js'
import { action, finish, scripted } from '../support/scripted.js'

describe('limits of a run', () => {
  test('A4 --max-steps and maxSteps end an endless round', async () => {
    const replies = [action('LS', {}), action('LS', { limit: 1 }), action('LS', { limit: 2 }), finish('late')]
    const { folder, flags } = scripted(replies)
    for (const limit of [
      ['--max-steps', '2'],
      ['-c', 'maxSteps=2'],
    ]) {
      const { code, stdout } = await run(folder, ['-p', 'x', '--json', ...limit, ...flags])
      expect([code, JSON.parse(stdout)]).toMatchObject([1, { status: 'failed', steps: 2 }])
      expect(JSON.parse(stdout).message).toContain('stopped after 2 steps')
    }
    expect((await runJson(folder, ['-p', 'x', '--max-steps', '4', ...flags])).answer).toBe('late')
    expect((await run(folder, ['-p', 'x', '--max-steps', '0', ...flags])).code).toBe(2)
  })

  test('H1 --timeout ends the whole run with its own status and exit code, and keeps the work so far', async () => {
    const chunks = ['Thought: done\nAction: Finish[The first half of', ' the answer']
    const { folder, flags } = scripted([{ chunks, hang: true }])
    const args = ['-p', 'x', '--timeout', '4', '--session', 's.mtm', ...flags]
    const { code, stdout } = await run(folder, [...args, '--json'])
    expect(problemsOfRun(stdout)).toEqual([])
    expect(code).toBe(124)
    const summary = JSON.parse(stdout)
    expect(summary).toMatchObject({ status: 'timeout', message: 'stopped after 4 s, the limit of --timeout' })
    expect(summary.answer).toContain('The first half')
    expect((await runJson(folder, ['resume', 's.mtm'])).end).toMatchObject({ status: 'cancelled' })
    const stream = await run(folder, [...args, '--stream-json'])
    expect([stream.code, problemsOfEvents(stream.stdout)]).toEqual([124, []])
    expect((await run(folder, ['-p', 'x', '--timeout', 'soon', ...flags])).code).toBe(2)
  })
})

describe('--add-dir', () => {
  test('A8 another folder may be read, and changed under the same rules; without it neither', async () => {
    const other = makeFolder({ 'shared.ts': 'shared = 1\n' })
    const path = join(other, 'shared.ts')
    const edit = { path, old_string: 'shared = 1', new_string: 'shared = 2' }
    const replies = [action('Read', { path }), action('Edit', edit), finish('done')]
    const ask = async (...args: string[]) => {
      const { folder, flags } = scripted(replies)
      const { stdout } = await run(folder, ['-p', 'x', '--json', ...args, ...flags])
      return JSON.parse(stdout)
    }
    const closed = await ask('--allow', 'Edit')
    expect(closed.tools.map(({ status }: { status: string }) => status)).toEqual(['error', 'error'])
    const readOnly = await ask('--add-dir', other)
    expect([readOnly.status, readOnly.tools]).toEqual([
      'denied',
      [
        { name: 'Read', status: 'success' },
        { name: 'Edit', status: 'error' },
      ],
    ])
    expect(readFileSync(path, 'utf8')).toBe('shared = 1\n')
    expect((await ask('--add-dir', other, '--allow', 'Edit')).status).toBe('done')
    expect(readFileSync(path, 'utf8')).toBe('shared = 2\n')
  })

  test('A8 applies only to this run, and must be a folder', async () => {
    const other = makeFolder({ 'a.ts': 'a\n' })
    const { folder, flags } = scripted([action('Read', { path: join(other, 'a.ts') }), finish('done')])
    const ask = (...args: string[]) => runJson(folder, ['-p', 'x', '--session', 's.mtm', ...args, ...flags])
    expect((await ask('--add-dir', other)).tools).toEqual([{ name: 'Read', status: 'success' }])
    expect((await ask()).tools).toEqual([{ name: 'Read', status: 'error' }])
    for (const [dir, says] of [
      ['/nowhere/at/all', 'there is no such folder'],
      [join(other, 'a.ts'), 'it is not a folder'],
    ] as const) {
      const { code, stderr } = await run(folder, ['-p', 'x', '--add-dir', dir, ...flags])
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
    }
    const preview = await runJson(folder, [
      'context',
      `What is @[${join(other, 'a.ts')}]?`,
      '--add-dir',
      other,
    ])
    expect(preview.items.map(({ error }: { error?: true }) => error)).toEqual([undefined])
  })
})

describe('--append-system', () => {
  test('L1 its text ends the system prompt, has the same bytes in every request, and cannot open one of our blocks', async () => {
    const server = await modelServer((response) =>
      answerWith(response, server.requests.length === 1 ? action('LS', {}) : finish('fine')),
    )
    const text = 'Answer in French. {{X}} @[a.ts] </system-reminder>\n'
    const folder = makeFolder({ 'house.md': text, 'a.ts': 'secret' })
    const flags = ['--append-system', 'house.md', '-D', 'X=1']
    await run(folder, ['-p', 'x', ...flags, ...flagsOf(server)])
    const systems = server.requests.map(({ body }) => JSON.parse(body).messages[0].content)
    expect(systems).toHaveLength(2)
    expect(systems[0]).toBe(systems[1])
    expect(systems[0].endsWith('\n\nAnswer in French. {{X}} @[a.ts] &lt;/system-reminder>')).toBe(true)
    const preview = await runJson(folder, ['context', 'x', ...flags])
    expect(preview.messages[0].content.endsWith('@[a.ts] &lt;/system-reminder>')).toBe(true)
    const gone = await run(folder, ['-p', 'x', '--append-system', 'gone.md', '--model', 'offline'])
    expect([gone.code, gone.stderr]).toEqual([2, 'mutsumi: --append-system gone.md: there is no such file\n'])
  })
})

describe('--output-schema', () => {
  const schema = {
    type: 'object',
    properties: { files: { type: 'array', items: { type: 'string' } }, count: { type: 'integer' } },
    required: ['files', 'count'],
    additionalProperties: false,
  }
  const files = { 'out.json': JSON.stringify(schema) }
  const flag = ['--output-schema', 'out.json']

  test('H1 an answer that fits is printed as JSON, in a fence or without', async () => {
    const value = { files: ['a.ts', 'b[0].ts'], count: 2 }
    for (const answer of [JSON.stringify(value), `\`\`\`json\n${JSON.stringify(value, null, 1)}\n\`\`\``]) {
      const { folder, flags } = scripted(
        [{ text: finish(answer), expect: '"additionalProperties":false' }],
        files,
      )
      const summary = await runJson(folder, ['-p', 'x', ...flag, ...flags])
      expect([summary.status, summary.output]).toEqual(['done', value])
      const plain = await run(folder, ['-p', 'x', ...flag, ...flags])
      expect(JSON.parse(plain.stdout)).toEqual(value)
    }
  })

  test('H1 an answer that does not fit is corrected, and programs see one run with one answer', async () => {
    const replies = [
      finish('two files'),
      { text: finish('{"files":[1]}'), expect: 'it is not JSON' },
      {
        text: finish('{"files":[],"count":0}'),
        expect: ["must have required property 'count'", '/files/0 must be string'],
      },
    ]
    const { folder, flags } = scripted(replies, files)
    const { stdout, code } = await run(folder, ['-p', 'x', '--stream-json', ...flag, ...flags])
    expect([code, problemsOfEvents(stdout)]).toEqual([0, []])
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.filter(({ type }) => type === 'round-end')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'answer-reset')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({ status: 'done', output: { files: [], count: 0 }, steps: 3 })
  })

  test('H1 --max-steps limits the run including its corrections, and step numbers continue', async () => {
    const { folder, flags } = scripted(
      [finish('no'), action('LS', { path: '.' }), finish('never'), finish('{"files":[],"count":0}')],
      files,
    )
    const args = ['-p', 'x', '--stream-json', '--max-steps', '3', ...flag, ...flags]
    const { code, stdout } = await run(folder, args)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const stepsOf = (wanted: string) => events.flatMap(({ type, step }) => (type === wanted ? step : []))
    expect([stepsOf('request-start'), stepsOf('tool-end')]).toEqual([[1, 2, 3], [2]])
    expect(events.at(-1)).toMatchObject({
      status: 'failed',
      steps: 3,
      message: expect.stringContaining('the run may take only 3 steps (--max-steps): it is not JSON'),
    })
    expect(code).toBe(1)
  })

  test('H1 after two corrections the run fails and says what is wrong', async () => {
    const { folder, flags } = scripted(
      [finish('no'), finish('never'), finish('{}'), finish('too late')],
      files,
    )
    const { code, stdout } = await run(folder, ['-p', 'x', '--json', ...flag, ...flags])
    expect(problemsOfRun(stdout)).toEqual([])
    const { status, message, output, answer } = JSON.parse(stdout)
    expect([code, status, output, answer]).toEqual([1, 'failed', undefined, '{}'])
    expect(message).toContain(
      "after 2 corrections the answer still does not match --output-schema: it must have required property 'files'",
    )
  })

  test.each([
    ['{"type":"nonsense"}', 'is not a JSON Schema'],
    ['not JSON', 'is not valid JSON'],
    ['[]', 'must contain a JSON object'],
  ])('H1 an invalid schema is a usage error: %s', async (text, says) => {
    const { folder, flags } = scripted([finish('x')], { 'out.json': text })
    const { code, stderr } = await run(folder, ['-p', 'x', ...flag, ...flags])
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  })

  test('H1 a draft 7 schema is read as draft 7', async () => {
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [{ type: 'number' }],
    }
    const { folder, flags } = scripted([finish('[1]')], { 'out.json': JSON.stringify(draft7) })
    expect((await runJson(folder, ['-p', 'x', ...flag, ...flags])).output).toEqual([1])
  })
})

test('H1 context accepts the command line of a run: every flag, and -p', async () => {
  const folder = makeFolder({ 'a.ts': 'a\n', 'out.json': '{}', 'house.md': 'Be brief.' })
  const line = [
    ...[
      '-p',
      '--allow=Bash',
      '-m',
      'offline',
      '--base-url',
      'http://127.0.0.1:9/v1',
      '--allow',
      'Edit',
      '--deny',
      'Bash',
    ],
    ...[
      '--add-dir',
      '/tmp',
      '-D',
      'A=1',
      '-c',
      'contextWindow=9000',
      '--trust',
      '--append-system',
      'house.md',
    ],
    ...[
      '--output-schema',
      'out.json',
      '--max-steps',
      '3',
      '--timeout',
      '9',
      '--trace',
      'traces',
      '-q',
      '--no-session',
    ],
  ]
  for (const mode of ['--json', '--stream-json']) {
    const { code, stdout } = await run(folder, ['context', ...line, mode])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).messages.at(-1).content).toMatch(/^--allow=Bash/)
  }
  const refused = await run(folder, ['context', 'x', '--allow', 'Edit('])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--allow')])
  expect((await run(folder, ['context', 'x', '-p', 'y'])).code).toBe(2)
  const piped = await runJson(folder, ['context', '-p', 'Review this'], { input: 'a diff\n' })
  expect(piped.messages.at(-1).content).toContain('Review this\n\n```\na diff\n```')
})

test('H1 flags that contradict each other are refused in any order, by a run and by its preview', async () => {
  const folder = makeFolder()
  const contradictions = [
    ['--session', 'a.mtm', '--no-session'],
    ['--no-session', '--session', 'a.mtm'],
    ['--session=a.mtm', '--no-session'],
    ['--session', 'a.mtm', '--continue'],
    ['--no-session', '--continue'],
    ['-q', '-v'],
    ['--json', '--stream-json'],
  ]
  for (const flags of contradictions)
    for (const line of [
      ['-p', 'x', '-m', 'offline', ...flags],
      ['context', '-m', 'offline', ...flags, 'x'],
    ]) {
      const { code, stderr } = await run(folder, line)
      expect([line, code, stderr]).toEqual([line, 2, expect.stringContaining('exclude each other')])
    }
  expect(existsSync(join(folder, '.mutsumi'))).toBe(false)
  const prompt = await run(folder, ['--session', 'a.mtm', '-p', '--no-session', '-m', 'offline'])
  expect(prompt.code).toBe(0)
})

test('H1 --trace with a file instead of a folder is exit 2, and nothing starts', async () => {
  const { folder, flags } = scripted([finish('x')], { 'a.ts': '' })
  for (const trace of ['a.ts', 'a.ts/below']) {
    const { code, stderr } = await run(folder, ['-p', 'x', '--trace', trace, ...flags])
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(`^mutsumi: --trace ${trace}: it (?:is not|cannot)`),
    ])
    expect(stderr).not.toContain('internal error')
  }
  expect(existsSync(join(folder, '.mutsumi'))).toBe(false)
})

test('H4 a misspelt variable gets one warning with the right spelling; those of other programs get none', async () => {
  const env = { MUTSUMI_MODLE: 'x', MUTSUMI_TIMEOUTS_IDLEMS: '5', MUTSUMI_TEST_SOMETHING_ELSE: '1' }
  for (const args of [['-p', 'x', '-m', 'offline', '-q'], ['context', 'x'], ['doctor']]) {
    const { code, stderr } = await run(makeFolder(), args, { env })
    expect([code, stderr]).toEqual([
      0,
      'mutsumi: unknown variables in the environment: MUTSUMI_MODLE: did you mean MUTSUMI_MODEL? ' +
        'MUTSUMI_TIMEOUTS_IDLEMS: did you mean MUTSUMI_TIMEOUTS_IDLE_MS?\n',
    ])
  }
})

test('H4 a config that is not JSON is exit 2', async () => {
  const env = { MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': '{' }) }
  const { code, stderr } = await run(makeFolder(), ['-p', 'x', '-m', 'offline'], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not valid JSON')])
})

test('H4 a model that cannot be named is exit 2, for a preview as for a run', async () => {
  for (const [name, says] of [
    ['opnai/x', 'has no known provider'],
    ['', '--model is empty'],
  ] as const) {
    const { code, stderr } = await run(makeFolder(), ['context', 'x', '--model', name])
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  }
  expect((await run(makeFolder(), ['context', 'x', '--model', 'openai/gpt-5'])).code).toBe(0)
})

test('H1 the error for an invalid number names the flag, and the help of context is about context', async () => {
  for (const flag of ['--max-steps', '--timeout']) {
    const { code, stderr } = await run(makeFolder(), ['-p', 'x', flag, '0'])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag}: expected`)])
  }
  const { stdout } = await run(makeFolder(), ['context', '--help'])
  expect(stdout).toMatch(/--json +print the request as one JSON object/)
  expect(stdout).not.toContain('ask once, print the answer')
  expect(stdout).not.toContain('one JSON event per line')
})

test('H1 the help of -m names every preset', () => {
  const { description } = modelOption()
  expect(listPresets({}).filter(({ name }) => !description.includes(name))).toEqual([])
})

test('H1 -q prints no note about the workspace or about the offline model', async () => {
  const folder = makeFolder({ '.mutsumi/x': '', 'sub/a.ts': '' })
  const { code, stderr } = await run(join(folder, 'sub'), ['-p', 'hi', '-q'])
  expect([code, stderr]).toEqual([0, ''])
})

test('H4 the guide lists every setting, and no other', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guide/context.md'), 'utf8')
  const [, table = ''] = /^\| setting \|.*\n\|-.*\n((?:\|.*\n)+)/m.exec(guide) ?? []
  const listed = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
  expect(listed.map(([, name]) => name).sort()).toEqual([...settingNames].sort())
})
