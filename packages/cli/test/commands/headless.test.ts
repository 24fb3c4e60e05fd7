import { describe, expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { problemsOfEvents, problemsOfRun } from '../support/print-schemas.js'
import { begin, until } from '../support/running.js'
import { action, finish, scripted } from '../support/scripted.js'

const eventsOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('a model that is missing', () => {
  const config = (file: object) => ({
    MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': JSON.stringify(file) }),
  })

  test.each(['--json', '--stream-json'])('A6 is never replaced by the offline one: %s', async (mode) => {
    const { code, stdout, stderr } = await run(makeFolder(), ['-p', 'Where is it?', mode])
    expect(code).toBe(2)
    const said = JSON.parse(stdout)
    expect(said).toMatchObject({ status: 'failed', model: null, session: null })
    expect(said.message).toContain('no model is configured')
    expect(said.message).toContain('--model offline answers without one')
    expect(stderr).toContain(said.message)
    const offline = await run(makeFolder(), ['-p', 'Where is it?', mode, '--model', 'offline'])
    expect([offline.code, eventsOf(offline.stdout).at(-1).model]).toEqual([0, 'offline'])
  })

  const half: readonly [string, readonly string[], () => Record<string, string>, string][] = [
    ['an empty --model', ['--model', ''], () => ({}), '--model is empty'],
    ['a blank --model', ['-m', ' '], () => ({}), '--model is empty'],
    ['an empty MUTSUMI_MODEL', [], () => ({ MUTSUMI_MODEL: '' }), 'MUTSUMI_MODEL is empty'],
    ['an empty model in a config', [], () => config({ model: '' }), 'of your config is empty'],
    ['a key without a model', [], () => ({ MUTSUMI_API_KEY: 'k-1234567890' }), 'A key is set (environment)'],
    ['a key in a config', [], () => config({ apiKey: 'k-1234567890' }), 'A key is set (user config)'],
    ['an address without a model', ['--base-url', 'http://127.0.0.1:9/v1'], () => ({}), 'A base URL is set'],
    ['an address in the environment', [], () => ({ MUTSUMI_BASE_URL: 'http://a/v1' }), 'A base URL is set'],
    ['an empty address', ['--base-url', ''], () => ({}), '`baseUrl` (flag)'],
    ['a model without its key', ['-m', 'openai/gpt-5'], () => ({}), 'needs a key: set MUTSUMI_API_KEY'],
  ]

  test.each(half)(
    'A6 or half configured is a usage error, also for people: %s',
    async (_, args, env, says) => {
      const folder = makeFolder()
      const { code, stdout, stderr } = await run(folder, ['-p', 'x', ...args], { env: env() })
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(says)
      expect(stderr).toContain('--model offline answers without one.')
      expect(stderr).not.toContain('k-1234567890')
    },
  )

  test('A6 a flag that names one makes an empty variable harmless', async () => {
    const env = { MUTSUMI_MODEL: '' }
    const { code } = await run(makeFolder(), ['-p', 'x', '--model', 'offline', '--json'], { env })
    expect(code).toBe(0)
  })

  test('A6 with nothing configured a plain -p answers offline, also into a pipe', async () => {
    const folder = makeFolder({ 'src/config.ts': 'export const timeoutMs = 5\n' })
    const { code, stdout, stderr } = await run(folder, ['-p', 'Where is timeoutMs?'])
    expect(code).toBe(0)
    expect(stdout).toContain('src/config.ts:1')
    expect(stderr).toContain('No model is configured')
    const empty = await run(folder, ['-p', 'Where is timeoutMs?'], { env: { OPENAI_API_KEY: '' } })
    expect([empty.code, empty.stderr]).toEqual([
      0,
      expect.stringContaining('OPENAI_API_KEY is set, but empty.'),
    ])
    const json = await run(folder, ['-p', 'x', '--json'], { env: { OPENAI_API_KEY: '' } })
    expect([json.code, JSON.parse(json.stdout).message]).toEqual([
      2,
      expect.stringContaining('OPENAI_API_KEY is set, but empty.'),
    ])
  })
})

describe('output for programs', () => {
  test('H1 --stream-json begins with the run’s model, tools and sandbox and ends with its result', async () => {
    const usage = { input: 100, output: 10, cached: 4 }
    const replies = [
      { text: action('LS', {}), usage },
      { text: finish('done'), usage },
    ]
    const { folder, flags } = scripted(replies)
    const { stdout } = await run(folder, ['-p', 'x', '--stream-json', '--session', './s.mtm', ...flags])
    expect(problemsOfEvents(stdout)).toEqual([])
    const [init, ...events] = eventsOf(stdout)
    expect(init).toMatchObject({
      type: 'init',
      cwd: folder,
      session: `${folder}/s.mtm`,
      model: flags[1],
      protocol: 'react',
    })
    expect(init.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(init.tools).toEqual(expect.arrayContaining(['Read', 'Bash', 'Task']))
    expect(['bubblewrap', 'seatbelt', 'none']).toContain(init.sandbox)
    expect(events.at(-1)).toEqual({
      type: 'round-end',
      status: 'done',
      answer: 'done',
      session: `${folder}/s.mtm`,
      model: flags[1],
      steps: 2,
      usage: { input: 200, output: 20, cached: 8 },
    })
  })

  test.each(['--json', '--stream-json'])(
    'H1 Ctrl-C keeps the streamed part of the answer: %s',
    async (mode) => {
      const chunks = ['Thought: done\nAction: Finish[The first half of', ' the answer']
      const { folder, flags } = scripted([{ chunks, hang: true }])
      const { child, printed, ended } = begin(folder, ['-p', 'x', mode, '-v', ...flags])
      await until(() => printed.stderr.includes('→ request 1'), child)
      await new Promise((resume) => setTimeout(resume, 500))
      child.kill('SIGINT')
      expect((await ended).code).toBe(130)
      const said = eventsOf(printed.stdout).at(-1)
      expect(said).toMatchObject({ status: 'cancelled', message: 'cancelled' })
      expect('The first half of the answer').toContain(said.answer)
      expect(said.answer.length).toBeGreaterThan(5)
      expect(mode === '--json' ? problemsOfRun(printed.stdout) : problemsOfEvents(printed.stdout)).toEqual([])
    },
  )

  test('H1 the pieces since the last reset are the answer, even after a reply that was not an answer', async () => {
    const broken = 'Thought: done\nAction: Finish[Findings:\nObservation: it fails'
    const { folder, flags } = scripted([broken, finish('whole')])
    const { stdout } = await run(folder, ['-p', 'x', '--stream-json', ...flags])
    expect(problemsOfEvents(stdout)).toEqual([])
    const events = eventsOf(stdout)
    const told = events.filter(({ type }) => type.startsWith('answer'))
    expect(told).toEqual([
      { type: 'answer', text: 'Findings:' },
      { type: 'answer-reset', reason: 'the reply was not an answer' },
      { type: 'answer', text: 'whole' },
    ])
    expect(events.at(-1)).toMatchObject({ status: 'done', answer: 'whole' })
  })

  test('H1 -q prints no progress, -v prints requests, tokens and times', async () => {
    const { folder, flags } = scripted([action('LS', {}), finish('done')])
    const quiet = await run(folder, ['-p', 'x', '-q', ...flags])
    expect(quiet).toEqual({ code: 0, stdout: 'done\n', stderr: '' })
    const verbose = await run(folder, ['-p', 'x', '-v', ...flags])
    expect(verbose.stdout).toBe('done\n')
    expect(verbose.stderr).toMatch(
      /→ request 1: about \d+ tokens\n← \d+ tokens in, \d+ out after \d+\.\d s\n/,
    )
    expect(verbose.stderr).toMatch(/· done after \d+\.\d s\n$/)
    expect((await run(folder, ['-p', 'x', '-q', '-v', ...flags])).code).toBe(2)
  })

  test('A5 settings of the reply are sent with every request, and recorded with it', async () => {
    const server = await modelServer((response) => answerWith(response, finish('fine')))
    const folder = makeFolder()
    const settings = ['-c', 'temperature=0.2', '-c', 'maxOutputTokens=500', '-c', 'reasoningEffort=low']
    const args = ['-p', 'x', '--session', './s.mtm', ...settings, ...flagsOf(server)]
    expect((await run(folder, args)).stdout).toBe('fine\n')
    const sent = { temperature: 0.2, max_tokens: 500, reasoning_effort: 'low' }
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject(sent)
    const replay = await run(folder, ['replay', 's.mtm', '--round', '1', '--json'])
    expect(JSON.parse(replay.stdout)).toMatchObject({
      verified: true,
      sent: { temperature: 0.2, maxOutputTokens: 500, reasoningEffort: 'low' },
    })
    const env = { ANTHROPIC_API_KEY: 'sk-ant-0123456789', ANTHROPIC_BASE_URL: server.url }
    const effort = ['-c', 'reasoningEffort=minimal', '-m', 'anthropic/claude-sonnet-5']
    const refused = await run(folder, ['-p', 'x', ...effort], { env })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(
      'anthropic does not know the reasoning effort minimal; it knows low, medium',
    )
    for (const [setting, says] of [
      ['temperature=3', 'takes a number from 0 to 2'],
      ['reasoningEffort=much', 'takes none or minimal'],
      ['maxSteps=0', 'takes a whole number from 1'],
    ] as const) {
      const wrong = await run(folder, ['-p', 'x', '-c', setting])
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(says)])
    }
  })

  test('P1 a command of the conversation is refused before a model is chosen, also for programs', async () => {
    const says = '/context is a command of the conversation (mutsumi without -p), so nothing is sent'
    const text = await run(makeFolder(), ['-p', '/context'])
    expect(text).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^mutsumi: \/context is/),
    })
    const json = await run(makeFolder(), ['-p', '/context', '--json'])
    expect(json.code).toBe(2)
    expect(json.stdout + json.stderr).toContain(says)
    expect(json.stdout + json.stderr).not.toContain('no model is configured')
    expect((await run(makeFolder(), ['-p', '/hooks'])).stderr).toContain('there are no hooks')
  })
})
