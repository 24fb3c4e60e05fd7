import { execFileSync, spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CollectedSpan, startCollector } from '../support/collector.js'
import { makeFolder, mutsumi, nobody, run } from '../support/command.js'

const action = (name: string, args: object) => `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`

function scripted(script: object, files: Readonly<Record<string, string>> = {}) {
  const folder = makeFolder({ ...files, 'script.json': JSON.stringify(script) })
  return { folder, flags: ['--model', 'scripted:script.json'] }
}

const at = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })

/** Each span with those inside it, in the order in which they ended. */
function drawn(spans: readonly CollectedSpan[], parent?: string, depth = 0): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .flatMap(({ name, spanId }) => ['  '.repeat(depth) + name, ...drawn(spans, spanId, depth + 1)])
}

describe('OpenTelemetry', () => {
  test('A5 a round, its model calls and its tool calls are nested spans, with the attributes of the conventions', async () => {
    const collector = await startCollector()
    const usage = { input: 100, output: 7, cached: 64 }
    const replies = [{ text: action('Read', { path: 'a.ts' }), usage }, action('LS', {}), finish('a is 1')]
    const { folder, flags } = scripted(replies, { 'a.ts': 'a = 1\n' })
    const { code, stdout, stderr } = await run(folder, ['-p', 'what?', ...flags], { env: at(collector.url) })
    expect([code, stdout]).toEqual([0, 'a is 1\n'])
    expect(stderr).not.toContain('mutsumi:')
    expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/traces'])
    const spans = collector.spans()
    expect(drawn(spans)).toEqual([
      'invoke_agent mutsumi',
      '  chat scripted',
      '  execute_tool Read',
      '  chat scripted',
      '  execute_tool LS',
      '  chat scripted',
    ])
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(spans[0]?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mutsumi',
      'gen_ai.request.model': 'scripted',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.usage.cache_read.input_tokens': 64,
      'gen_ai.response.finish_reasons': ['stop'],
    })
    expect(spans[1]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Read',
      'gen_ai.tool.call.id': expect.stringMatching(/^[0-9a-f]{16}$/),
      'mutsumi.tool.status': 'success',
    })
    const round = spans.at(-1)?.attributes ?? {}
    expect(round).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'mutsumi',
      'mutsumi.round.status': 'done',
    })
    expect(round['gen_ai.usage.input_tokens']).toBeGreaterThan(100)
    expect(spans.map(({ status }) => status)).toEqual(Array(6).fill(0))
  })

  test('A7 sub-agents that run in parallel are each inside their own call of Task', async () => {
    const collector = await startCollector()
    const task = (number: number) => ({
      id: `task-${number}`,
      name: 'Task',
      args: { description: 'd', prompt: 'p' },
    })
    const { folder, flags } = scripted([{ calls: [task(1), task(2)] }, 'report', 'report', 'both are done'])
    await run(folder, ['-p', 'x', '-c', 'protocol=native', ...flags], { env: at(collector.url) })
    const spans = collector.spans()
    const [root] = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
    const tasks = spans.filter(({ name }) => name === 'execute_tool Task')
    // Hashes: what the server made up as an id stays here.
    expect(tasks.map(({ attributes }) => attributes['gen_ai.tool.call.id']).toSorted()).toEqual([
      '78686d2704d4d690',
      '7afaa346b4bf92bf',
    ])
    for (const { spanId, parentSpanId } of tasks) {
      expect(parentSpanId).toBe(root?.spanId)
      expect(drawn(spans, spanId)).toEqual(['invoke_agent mutsumi', '  chat scripted'])
    }
    const sessions = spans.map(({ attributes }) => attributes['gen_ai.conversation.id']).filter(Boolean)
    expect(new Set(sessions).size).toBe(3)
    expect(spans.filter(({ name }) => name === 'chat scripted')).toHaveLength(4)
    const calls = spans.find(
      ({ parentSpanId, name }) => parentSpanId === root?.spanId && name.startsWith('chat'),
    )
    expect(calls?.attributes['gen_ai.response.finish_reasons']).toEqual(['tool_calls'])
  })

  test('A5 no prompt, file content, answer, path or key is sent', async () => {
    const collector = await startCollector()
    const replies = [
      action('Read', { path: 'secret-name.txt' }),
      action('SecretTool', { secret: 'secret' }),
      { fault: { kind: 'auth', message: 'the key sk-secret was refused', status: 401 } },
    ]
    const { folder, flags } = scripted(replies, { 'secret-name.txt': 'secret content' })
    const env = {
      ...at(collector.url),
      MUTSUMI_API_KEY: 'sk-secret',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
    }
    const { code } = await run(folder, ['-p', 'secret question', ...flags], { env })
    expect(code).toBe(4)
    expect(collector.requests[0]?.headers['x-key']).toBe('secret')
    expect(drawn(collector.spans())).toContain('  execute_tool unknown')
    for (const body of collector.bodies) {
      expect(body.toLowerCase()).not.toContain('secret')
      expect(body).not.toContain(folder)
    }
  })

  test('A5 a fault is sent with its kind, a failed tool with its code, even if the run fails', async () => {
    const collector = await startCollector()
    const replies = [
      action('Read', { path: 'none.ts' }),
      { fault: { kind: 'overloaded', message: 'busy', status: 529 } },
    ]
    const { folder, flags } = scripted(replies)
    expect((await run(folder, ['-p', 'x', ...flags], { env: at(collector.url) })).code).toBe(4)
    const failed = collector.spans().filter(({ status }) => status === 2)
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['execute_tool Read', 'NOT_FOUND'],
      ['chat scripted', 'overloaded'],
      ['invoke_agent mutsumi', 'overloaded'],
    ])
    expect(failed[1]?.attributes['http.response.status_code']).toBe(529)
  })

  test('A3 the spans of a cancelled round are sent', async () => {
    const collector = await startCollector()
    const { folder, flags } = scripted([action('LS', {}), { hang: true }])
    const child = spawn(process.execPath, [mutsumi, '-p', 'x', '--stream-json', ...flags], {
      cwd: folder,
      env: { ...nobody, ...at(collector.url) },
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (data) => /request-start","step":2/.test(String(data)) && resolve()),
    )
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    const types = collector.spans().map(({ name, attributes }) => [name, attributes['error.type']])
    expect(types.slice(-2)).toEqual([
      ['chat scripted', 'cancelled'],
      ['invoke_agent mutsumi', 'cancelled'],
    ])
  })

  test('A6 the offline model’s rounds are sent too', async () => {
    const collector = await startCollector()
    const folder = makeFolder({ 'tax.ts': 'export const taxOf = 19\n' })
    await run(folder, ['-p', 'Where is taxOf?', '--model', 'offline'], { env: at(collector.url) })
    expect(drawn(collector.spans())).toEqual(
      expect.arrayContaining(['invoke_agent mutsumi', '  chat offline', '  execute_tool Grep']),
    )
  })

  test('H4 the service’s name and a separate address for traces come from OpenTelemetry’s variables', async () => {
    const collector = await startCollector()
    const { folder, flags } = scripted([finish('ok')])
    const env = {
      ...at('http://127.0.0.1:1'),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/mine`,
      OTEL_SERVICE_NAME: 'nightly',
      OTEL_RESOURCE_ATTRIBUTES: 'team=blue',
    }
    const { stderr } = await run(folder, ['-p', 'x', ...flags], { env })
    expect(stderr).toBe('')
    expect(collector.requests.map(({ path }) => path)).toEqual(['/mine'])
    expect(collector.resource()).toMatchObject({ 'service.name': 'nightly', team: 'blue' })
  })

  test('H4 an https collector is verified by its certificate, and can verify ours', async () => {
    const { folder, flags } = scripted([finish('ok')])
    const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names]
    execFileSync('openssl', [...kind, '-keyout', 'key.pem', '-out', 'cert.pem'], {
      cwd: folder,
      stdio: 'ignore',
    })
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)))
    const tls = { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true } as const
    const collector = await startCollector({ tls })
    const unknown = await run(folder, ['-p', 'x', ...flags], { env: at(collector.url) })
    expect(unknown.stderr).toContain('self-signed certificate')
    const env = {
      ...at(collector.url),
      OTEL_EXPORTER_OTLP_CERTIFICATE: 'cert.pem',
      OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: 'cert.pem',
      OTEL_EXPORTER_OTLP_CLIENT_KEY: 'key.pem',
    }
    expect((await run(folder, ['-p', 'x', ...flags], { env })).stderr).toBe('')
    expect(drawn(collector.spans())).toEqual(['invoke_agent mutsumi', '  chat scripted'])
  })

  test('H4 OTEL_SDK_DISABLED and OTEL_TRACES_EXPORTER=none turn it off', async () => {
    const collector = await startCollector()
    const { folder, flags } = scripted([finish('ok')])
    for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])
      expect(await run(folder, ['-p', 'x', ...flags], { env: { ...at(collector.url), ...off } })).toEqual({
        code: 0,
        stdout: 'ok\n',
        stderr: '',
      })
    expect(collector.requests).toEqual([])
  })

  test('A3 an unreachable collector fails no run and gives one line', async () => {
    const { folder, flags } = scripted([finish('ok')])
    const { code, stdout, stderr } = await run(folder, ['-p', 'x', ...flags], {
      env: at('http://127.0.0.1:1'),
    })
    expect([code, stdout]).toEqual([0, 'ok\n'])
    expect(stderr).toBe(
      'mutsumi: some traces could not be sent to http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n',
    )
  })

  test('H4 an invalid address is reported, and not replaced by another', async () => {
    const { folder, flags } = scripted([finish('ok')])
    expect(await run(folder, ['-p', 'x', ...flags], { env: at('collector:4318') })).toEqual({
      code: 0,
      stdout: 'ok\n',
      stderr: 'mutsumi: no traces are sent: OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https address\n',
    })
  })

  test('A3 a collector that refuses is reported with its answer', async () => {
    const collector = await startCollector({
      answer: (response) => response.writeHead(401).end('who are you?'),
    })
    const { folder, flags } = scripted([finish('ok')])
    const { code, stderr } = await run(folder, ['-p', 'x', ...flags], { env: at(collector.url) })
    expect([code, stderr]).toEqual([
      0,
      `mutsumi: some traces could not be sent to ${collector.url}: 401 Unauthorized\n`,
    ])
  })

  test('A3 a collector that never answers, or never finishes its answer, does not keep a run from ending', async () => {
    const silent = await startCollector({ answer: () => undefined })
    const endless = await startCollector({
      answer: (response) => {
        const timer = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(timer))
      },
    })
    const { folder, flags } = scripted([finish('ok')])
    for (const { url } of [silent, endless]) {
      const started = performance.now()
      const { code, stderr } = await run(folder, ['-p', 'x', ...flags], { env: at(url) })
      expect(code).toBe(0)
      expect(stderr).toMatch(/^mutsumi: some traces could not be sent to [^\n]*\n$/)
      // Half a second for the run and one for the collector, times ten; OpenTelemetry’s own patience is 30 s.
      expect(performance.now() - started).toBeLessThan(15_000)
    }
  })

  test('H1 without its packages a run continues and says so; without a collector it does not mention them', async () => {
    const installed = makeFolder()
    const own = dirname(dirname(mutsumi))
    for (const name of ['bin', 'dist', 'package.json'])
      cpSync(join(own, name), join(installed, name), { recursive: true })
    const { folder, flags } = scripted([finish('ok')])
    const runThere = (env: Readonly<Record<string, string>>) =>
      run(folder, ['-p', 'x', ...flags], { env, command: join(installed, 'bin', 'mutsumi.cjs') })
    expect(await runThere({})).toEqual({ code: 0, stdout: 'ok\n', stderr: '' })
    expect(await runThere(at('http://127.0.0.1:1'))).toEqual({
      code: 0,
      stdout: 'ok\n',
      stderr:
        'mutsumi: no traces are sent: OpenTelemetry is not installed; install mutsumi with its optional packages, or unset OTEL_EXPORTER_OTLP_ENDPOINT\n',
    })
  })

  test('H1 only one file of the command imports OpenTelemetry’s packages', () => {
    const dist = join(dirname(dirname(mutsumi)), 'dist')
    const files = readdirSync(dist).filter((name) => name.endsWith('.cjs'))
    const knowing = files.filter((name) => readFileSync(join(dist, name), 'utf8').includes('@opentelemetry/'))
    expect(knowing).toEqual(['telemetry-spans.cjs'])
  })
})
