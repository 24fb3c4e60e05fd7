import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCollector } from '../support/collector.js'
import { makeFolder, type RunOptions, run } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { problemsOfEvents, problemsOfRun } from '../support/print-schemas.js'
import { begin, until } from '../support/running.js'
import { action, finish, scripted } from '../support/scripted.js'
import { workspaceWith, writer } from '../support/stored-session.js'

const statusesIn = (session: string) =>
  readFileSync(session, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"end"'))
    .map((line) => /"status":"(\w+)"/.exec(line)?.[1])

describe('a run that is interrupted', () => {
  /** A round that runs a command which says that it has begun, and goes on for a long time. */
  function sleeping() {
    const { folder, flags } = scripted([
      action('Bash', { command: 'echo begun > begun.txt; sleep 300' }),
      finish('slept'),
    ])
    const args = ['-p', 'x', '--session', './s.mtm', '--allow', 'Bash', '--json', ...flags]
    return { folder, args, hasBegun: () => existsSync(join(folder, 'begun.txt')) }
  }

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'A3 H1 while a command runs is reported and recorded, and releases its session: %s',
    async (signal) => {
      const { folder, args, hasBegun } = sleeping()
      const { child, printed, ended } = begin(folder, args)
      await until(hasBegun, child)
      child.kill(signal)
      expect(await ended).toEqual({ code: 130, signal: null })
      expect(problemsOfRun(printed.stdout)).toEqual([])
      expect(JSON.parse(printed.stdout)).toMatchObject({
        status: 'cancelled',
        tools: [{ name: 'Bash', status: 'error' }],
      })
      expect(statusesIn(join(folder, 's.mtm'))).toEqual(['cancelled'])
      expect(readdirSync(folder).filter((name) => name.includes('lock'))).toEqual([])
    },
  )

  test('A3 H1 twice ends at once, whatever is still running', async () => {
    const collector = await startCollector({ answer: () => undefined })
    const { folder, args, hasBegun } = sleeping()
    const { child, printed, ended } = begin(folder, args, {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    })
    await until(hasBegun, child)
    child.kill('SIGINT')
    // The round is over and its session closed; the spans are not sent yet.
    await until(() => collector.requests.length > 0, child)
    await new Promise((resume) => setTimeout(resume, 400))
    child.kill('SIGINT')
    expect(await ended).toEqual({ code: 130, signal: null })
    expect(printed.stdout).toBe('')
    expect(statusesIn(join(folder, 's.mtm'))).toEqual(['cancelled'])
  })

  test('A3 H1 says so once', async () => {
    const { folder, flags } = scripted([{ hang: true }])
    const { child, printed, ended } = begin(folder, ['-p', 'x', '--trace', 't', ...flags])
    await until(() => existsSync(join(folder, '.mutsumi', 'sessions', 'x.mtm')), child)
    await until(
      () => readFileSync(join(folder, '.mutsumi', 'sessions', 'x.mtm'), 'utf8').includes('"type":"request"'),
      child,
    )
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    expect(printed.stderr).toBe('mutsumi: cancelled\n')
  })

  test('A3 H1 by a reader that goes away is recorded, and not a success', async () => {
    const chunks = Array.from({ length: 200 }, (_, index) => ({ text: `word ${index}\n`, delayMs: 50 }))
    const { folder, flags } = scripted([{ chunks: ['Thought: t\nAction: Finish[', ...chunks, ']'] }])
    const { child, ended } = begin(folder, ['-p', 'x', '--session', './s.mtm', '--stream-json', ...flags])
    await once(child.stdout, 'data')
    child.stdout.destroy()
    expect(await ended).toEqual({ code: 130, signal: null })
    expect(statusesIn(join(folder, 's.mtm'))).toEqual(['cancelled'])
  })
})

describe('a run that fails before it begins', () => {
  const cases: readonly {
    readonly what: string
    readonly args: readonly string[]
    readonly code: number
    readonly says: string
    readonly options?: RunOptions
  }[] = [
    { what: 'an unknown option', args: ['--bogus'], code: 2, says: 'bogus' },
    { what: 'an unknown provider', args: ['--model', 'nobody/x'], code: 2, says: 'known provider' },
    {
      what: 'a key that is missing',
      args: ['--model', 'openai/x'],
      code: 2,
      says: 'OPENAI_API_KEY',
      options: { env: { OPENAI_API_KEY: '', MUTSUMI_API_KEY: '' } },
    },
    { what: 'an invalid setting', args: ['-c', 'nonsense=1'], code: 2, says: 'unknown setting' },
    { what: 'an invalid macro', args: ['-D', '1=2'], code: 2, says: 'is not a valid name' },
    {
      what: 'an invalid rule',
      args: ['--model', 'offline', '--allow', 'Edit('],
      code: 2,
      says: '--allow',
    },
    { what: 'a missing workspace', args: ['-C', '/nowhere/at/all'], code: 1, says: 'does not exist' },
    { what: 'no session yet', args: ['--model', 'offline', '--continue'], code: 1, says: 'no session' },
    {
      what: 'an invalid session',
      args: ['--model', 'offline', '--session', 'broken.mtm'],
      code: 1,
      says: 'broken.mtm',
    },
  ]

  test.each(cases)(
    'H1 is reported to programs and to people: $what',
    async ({ args, code, says, options }) => {
      const folder = makeFolder({ 'broken.mtm': 'this is no session\n' })
      const object = await run(folder, ['-p', 'x', '--json', ...args], options)
      expect(problemsOfRun(object.stdout)).toEqual([])
      const { status, answer, message } = JSON.parse(object.stdout)
      expect([object.code, status, answer]).toEqual([code, 'failed', ''])
      expect(message).toContain(says)
      expect(object.stderr).toContain(says)
      const stream = await run(folder, ['-p', 'x', '--stream-json', ...args], options)
      expect(problemsOfEvents(stream.stdout)).toEqual([])
      expect([stream.code, JSON.parse(stream.stdout)]).toEqual([
        code,
        {
          type: 'round-end',
          status: 'failed',
          message,
          session: null,
          model: args.includes('offline') ? 'offline' : null,
          steps: 0,
          usage: { input: 0, output: 0 },
        },
      ])
      const plain = await run(folder, ['-p', 'x', ...args], options)
      expect([plain.code, plain.stdout]).toEqual([code, ''])
    },
  )

  test('H1 because another process writes its session is reported to programs', async () => {
    const folder = await workspaceWith({ name: 'talk.mtm' })
    const path = join(folder, '.mutsumi', 'sessions', 'talk.mtm')
    await writer(path)
    const { code, stdout } = await run(folder, ['-p', 'x', '--json', '--model', 'offline', '--session', path])
    expect(problemsOfRun(stdout)).toEqual([])
    expect([code, JSON.parse(stdout).status]).toEqual([1, 'failed'])
    const resumed = await run(folder, ['resume', 'nobody', '-p', 'x', '--json'])
    expect(problemsOfRun(resumed.stdout)).toEqual([])
    expect([resumed.code, JSON.parse(resumed.stdout).session]).toEqual([1, null])
  })

  test('H1 --help prints only help, and other commands print no run object', async () => {
    const help = await run(makeFolder(), ['--help', '--json'])
    expect([help.code, help.stdout.startsWith('Usage: ')]).toEqual([0, true])
    const other = await run(makeFolder(), ['context', '--json', '--bogus'])
    expect([other.code, other.stdout]).toEqual([2, ''])
  })

  test.skipIf(!existsSync('/proc/self'))(
    'H1 because no folder can be created ends with a message',
    async () => {
      for (const { args, exit } of [
        { args: ['--session', '/proc/nowhere/s.mtm'], exit: 1 },
        { args: ['--trace', '/proc/nowhere'], exit: 2 },
      ]) {
        const { code, stderr } = await run(makeFolder(), ['-p', 'x', '--model', 'offline', ...args])
        expect(code).toBe(exit)
        expect(stderr).toMatch(/^mutsumi: .*\/proc\/nowhere.* cannot be created: ENOENT.*\n$/)
      }
    },
  )
})

describe('the steps of a run', () => {
  test('H1 a tool’s name is printed on one line, whatever the model calls it', async () => {
    const name = 'Read\nmutsumi: all is well\u001b[2J'
    const server = await modelServer((response) => {
      if (server.requests.length > 1) return answerWith(response, 'fine')
      const delta = { tool_calls: [{ index: 0, id: 'c1', function: { name, arguments: '{"path":"a"}' } }] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const choice of [{ delta }, { delta: {}, finish_reason: 'tool_calls' }])
        response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, ...choice }] })}\n\n`)
      response.end('data: [DONE]\n\n')
    })
    const { stderr } = await run(makeFolder(), ['-p', 'x', '-c', 'protocol=native', ...flagsOf(server)])
    expect(stderr).toContain('· Read\\u000amutsumi: all is well\\u001b[2J a → failed: ')
    expect(stderr).not.toMatch(/^mutsumi: all is well/m)
  })

  test('A5 a retry is one short line in a pipe, without advice', async () => {
    const server = await modelServer((response) => {
      if (server.requests.length > 1) return answerWith(response, finish('fine'))
      response.writeHead(503, { 'retry-after': '0' }).end()
    })
    const { stdout, stderr } = await run(makeFolder(), ['-p', 'x', ...flagsOf(server)])
    expect(stdout).toBe('fine\n')
    expect(stderr).toMatch(/^… the server is busy or failed \(503\); again in \d+ s \(try 2 of 4\)\n$/)
  })
})
