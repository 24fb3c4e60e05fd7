import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { flagAssignments, readSettings } from '@mutsumi/host'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { flagsOf, modelServer } from '../support/model-server.js'

describe('time limits for a model', () => {
  test('A5 every limit is a setting', () => {
    const given = ['connectMs=1', 'firstByteMs=2', 'firstContentMs=3', 'idleMs=4'].map(
      (text) => `timeouts.${text}`,
    )
    expect(readSettings(flagAssignments(given)).timeouts).toEqual({
      connectMs: 1,
      firstByteMs: 2,
      firstContentMs: 3,
      idleMs: 4,
    })
    const bad = (text: string) => () => readSettings(flagAssignments([text]))
    expect(bad('timeouts.idleMs=0')).toThrow(/a whole number from 1/)
    expect(bad('timeouts.idleMs=9999999999')).toThrow(/takes at most 2147483647/)
    expect(bad('timeouts.idle=5')).toThrow(/did you mean timeouts\.idleMs\?/)
  })

  test('A5 a flag, the environment or the config shortens a stall', { timeout: 60_000 }, async () => {
    const server = await modelServer(() => undefined)
    const config = makeFolder({ 'config.json': '{"timeouts":{"firstByteMs":300}}' })
    const ways = [
      { flags: ['-c', 'timeouts.firstByteMs=300'] },
      { env: { MUTSUMI_TIMEOUTS_FIRST_BYTE_MS: '300' } },
      { env: { MUTSUMI_CONFIG_DIR: config } },
    ]
    const results = await Promise.all(
      ways.map(({ flags = [], env = {} }) =>
        run(makeFolder(), ['-p', 'x', ...flagsOf(server), ...flags], { env }),
      ),
    )
    for (const { code, stderr } of results) {
      expect(stderr).toContain('sent nothing within 0.3 s')
      expect(stderr).toContain('(try 2 of 2)')
      expect(stderr).not.toContain('(try 3')
      expect(code).toBe(4)
    }
  })
})

test('A5 an upgrade to another protocol is a fault at once, never a silent success', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`
  const { code, stdout, stderr } = await run(makeFolder(), ['-p', 'x', ...flagsOf({ url, requests: [] })])
  expect([code, stdout]).toEqual([4, ''])
  expect(stderr).toContain('this is not a model server')
})

describe('an answer that is cut off', () => {
  const part =
    'data: {"choices":[{"index":0,"delta":{"content":"Thought: ok\\nAction: Finish[It is 4"}}]}\n\n'

  test('A5 is in --json and in the session, and the exit code shows that it is incomplete', async () => {
    const server = await modelServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(part, () => response.socket?.resetAndDestroy())
    })
    const folder = makeFolder()
    const { code, stdout } = await run(folder, ['-p', 'x', '--json', ...flagsOf(server)])
    expect(code).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'fault', answer: 'It is 4' })
    expect(JSON.parse(stdout).message).toContain('kept, marked as cut')
    const sessions = join(folder, '.mutsumi', 'sessions')
    const [name = ''] = readdirSync(sessions).filter((each) => each.endsWith('.mtm'))
    expect(readFileSync(join(sessions, name), 'utf8')).toContain(
      'Finish[It is 4\\n\\n[This reply was cut off here.',
    )
  })

  test('A5 is complete if only the end of the connection is missing', async () => {
    const server = await modelServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const last = 'data: {"choices":[{"index":0,"delta":{"content":"2]"},"finish_reason":"stop"}]}\n\n'
      response.write(part + last, () => response.socket?.resetAndDestroy())
    })
    const { code, stdout } = await run(makeFolder(), ['-p', 'x', ...flagsOf(server)])
    expect([code, stdout]).toEqual([0, 'It is 42\n'])
  })
})

test('A2 a native reply that the provider filtered runs none of its calls, and says why', async () => {
  const call = { index: 0, id: 'a', function: { name: 'Write', arguments: '{"path":"x","content":"y"}' } }
  const server = await modelServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (delta: object, finish_reason: string | null) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
    chunk({ tool_calls: [call] }, null)
    chunk({}, 'content_filter')
    response.end('data: [DONE]\n\n')
  })
  const folder = makeFolder()
  const flags = ['-c', 'protocol=native', '--allow', 'Write', ...flagsOf(server)]
  const { code, stderr } = await run(folder, ['-p', 'x', ...flags])
  expect(code).toBe(1)
  expect(stderr).toContain('the provider filtered the reply')
  expect(readdirSync(folder)).not.toContain('x')
})
