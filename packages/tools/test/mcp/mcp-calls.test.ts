import { describe, expect, test } from 'vitest'
import type { Permission, PermissionRequest } from '../../src/contract/tool-runner.js'
import { createToolRunner, Workspace } from '../../src/index.js'
import {
  callerOf,
  connect,
  floodingAddress,
  isAlive,
  startHttpServer,
  stdioServer,
  waitUntil,
} from '../support/mcp-fixture.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('calls of an MCP tool', () => {
  test('A8 are refused if nobody can be asked, whatever the server claims about itself', async () => {
    const servers = await connect({ s: stdioServer() })
    expect(new Set(servers.tools.map(({ effect }) => effect))).toEqual(new Set(['execute']))
    const { path } = temporaryFolder()
    const runner = createToolRunner({ workspace: new Workspace({ root: path }), tools: servers.tools })
    const result = await runner.run({ name: 'mcp__s__echo', args: { text: 'x' } }, { allowed: [path] })
    expect(result).toMatchObject({ status: 'error', error: { code: 'PERMISSION_DENIED' } })
  })

  test('A8 ask for the tool with its description, so a changed description asks again', async () => {
    const servers = await connect({ s: stdioServer() })
    const { path } = temporaryFolder()
    const asked: PermissionRequest[] = []
    const ask = async () => {
      const permit = (request: PermissionRequest): Permission => {
        asked.push(request)
        return { granted: true }
      }
      const workspace = new Workspace({ root: path })
      const runner = createToolRunner({ workspace, tools: servers.tools, permit })
      await runner.run({ name: 'mcp__s__echo', args: { text: 'x' } }, { allowed: [path] })
    }
    await ask()
    await callerOf(servers).call('mcp__s__grow')
    await servers.refresh()
    await ask()
    const [before, after] = asked.map(({ touched }) => touched.approval)
    expect(before).toMatch(/^[0-9a-f]{64}$/)
    expect(after).toMatch(/^[0-9a-f]{64}$/)
    expect(after).not.toBe(before)
  })

  test('T9 show the head and the tail of a huge result, and keep the whole', async () => {
    const { call, memory } = callerOf(await connect({ s: stdioServer() }))
    const result = await call('mcp__s__huge')
    expect(result.status).toBe('partial')
    expect(result.text.length).toBeLessThan(30_200)
    expect(result.text).toMatch(
      /^firstx+\n\(70009 characters left out; Recall \{"id":"\w+"\} has the whole\)\nx+last$/,
    )
    const id = String(result.data.observation_id)
    expect(memory.observations.find(id)).toBe(`first${'x'.repeat(100_000)}last`)
  })

  test('T9 give text without control characters', async () => {
    const { call } = callerOf(await connect({ s: stdioServer() }))
    expect((await call('mcp__s__dirty')).text).toBe('abc\nd\tefg')
  })

  test('T9 give text without invisible characters, and keep ordinary writing', async () => {
    const { call } = callerOf(await connect({ s: stdioServer() }))
    const family = '\u{1f468}\u200d\u{1f469}'
    expect((await call('mcp__s__hidden')).text).toBe(`abcdefg\nhij ${family} \u0646\u200c\u0647 \u2764\ufe0f`)
  })

  test('T9 name only some pictures for programs, however many there are', async () => {
    const { call } = callerOf(await connect({ s: stdioServer() }))
    const { data } = await call('mcp__s__gallery')
    expect(data.media).toHaveLength(20)
  })

  test('T9 give structured content once, and name content that is not text', async () => {
    const { call } = callerOf(await connect({ s: stdioServer() }))
    expect((await call('mcp__s__structured')).text).toBe('{"sum": 3}')
    expect((await call('mcp__s__structuredOnly')).text).toBe('{"sum":4}')
    expect((await call('mcp__s__empty')).text).toBe('(no output)')
    const media = await call('mcp__s__media')
    expect(media.text.split('\n')).toEqual([
      '[image: image/png, 5 bytes]',
      '[resource: file:///a.txt a.txt]',
      '[resource: note://1]',
      'the note',
      '[resource: note://2 a/b, 3 bytes]',
    ])
    expect(media.data).toMatchObject({ media: [{ mime_type: 'image/png', bytes: 5 }] })
  })

  test('T1 that the server reports as failed are errors with its message', async () => {
    const { call } = callerOf(await connect({ s: stdioServer() }))
    expect(await call('mcp__s__fails')).toMatchObject({
      status: 'error',
      error: { code: 'EXECUTION_ERROR', message: 'no such ticket' },
      data: { server: 's', tool: 'fails' },
    })
    expect(await call('mcp__s__refuses')).toMatchObject({
      error: { code: 'INVALID_PARAM', message: 'the MCP server s: text is missing' },
    })
  })

  test('T9 end at the time limit and at a cancel, and the server is notified', async () => {
    const { call } = callerOf(await connect({ s: stdioServer() }, { callTimeoutMs: 1_500 }))
    expect(await call('mcp__s__never')).toMatchObject({
      error: { code: 'TIMEOUT', message: 'the MCP server s did not answer within 1500 ms' },
    })
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 100)
    expect(await call('mcp__s__never', {}, abort.signal)).toMatchObject({
      error: { code: 'EXECUTION_ERROR', message: 'cancelled' },
    })
    expect((await call('mcp__s__cancellations')).text).toBe('2')
  })

  test('T9 that crash the server report its output, without its key, and do not affect other servers', async () => {
    const servers = await connect({
      falls: stdioServer('normal', { SOME_API_KEY: 'sk-123456' }),
      stands: stdioServer(),
    })
    const { call } = callerOf(servers)
    const stopped = 'the MCP server falls has stopped; it wrote: fatal: out of luck, the key was ***'
    expect(await call('mcp__falls__crash')).toMatchObject({
      error: { code: 'EXECUTION_ERROR', message: stopped },
    })
    expect((await call('mcp__falls__echo', { text: 'again' })).text).toBe(stopped)
    expect(servers.status).toMatchObject([{ state: 'failed' }, { state: 'ready' }])
    expect((await call('mcp__stands__echo', { text: 'still here' })).text).toBe('still here')
  })

  test('T9 whose result is far too large end the server, not Mutsumi', async () => {
    const { call } = callerOf(await connect({ s: stdioServer() }))
    expect(await call('mcp__s__flood')).toMatchObject({
      error: {
        code: 'EXECUTION_ERROR',
        message: 'the MCP server s has stopped; it wrote: a message of more than 10485760 bytes',
      },
    })
  })

  test('T9 whose result is far too large end the HTTP connection, as a stream and as one answer', async () => {
    const { url } = await startHttpServer()
    const headers = { authorization: 'Bearer letmein-please' }
    const servers = await connect({
      stream: { origin: 'user', url, headers },
      answer: { origin: 'user', url: await floodingAddress() },
    })
    const { call } = callerOf(servers)
    // A result that were read to its end would keep this test until its own time limit.
    for (const name of ['stream', 'answer'])
      expect(await call(`mcp__${name}__flood`)).toMatchObject({
        error: {
          code: 'EXECUTION_ERROR',
          message: `the MCP server ${name} has stopped; it wrote: a message of more than 10485760 bytes`,
        },
      })
  })

  test('T9 over HTTP measure each message of a stream separately', async () => {
    const { url } = await startHttpServer()
    const headers = { authorization: 'Bearer letmein-please' }
    const { call } = callerOf(await connect({ web: { origin: 'user', url, headers } }))
    expect(await call('mcp__web__chatty')).toMatchObject({ text: 'that was all' })
  })

  test('T9 of a tool that changed since it was listed are refused until it is listed again', async () => {
    const servers = await connect({ s: stdioServer() })
    const before = callerOf(servers)
    expect((await before.call('mcp__s__grow')).text).toBe('grown')
    expect(await before.call('mcp__s__echo', { text: 'x' })).toMatchObject({
      error: { code: 'CONFLICT', message: 'the MCP server s has changed or removed echo' },
    })
    expect((await before.call('mcp__s__pid')).status).toBe('success')
    expect(await servers.refresh()).toBe(true)
    expect((await callerOf(servers).call('mcp__s__echo', { text: 'x' })).text).toBe('x')
    expect(await servers.refresh()).toBe(false)
  })

  test('T9 reach new tools after a refresh, and a changed one needs a new approval', async () => {
    const servers = await connect({ s: stdioServer() })
    const approval = (name: string) => servers.tools.find((tool) => tool.name === name)?.approval
    const { echo, pid } = { echo: approval('mcp__s__echo'), pid: approval('mcp__s__pid') }
    expect(await servers.refresh()).toBe(false)
    await callerOf(servers).call('mcp__s__grow')
    expect(await servers.refresh()).toBe(true)
    const { call } = callerOf(servers)
    expect((await call('mcp__s__added')).text).toBe('new here')
    expect((await call('mcp__s__echo', { text: 'x' })).text).toBe('x')
    expect(approval('mcp__s__pid')).toBe(pid)
    expect(approval('mcp__s__echo')).not.toBe(echo)
  })

  test('T9 after the server was killed fail at once', async () => {
    const servers = await connect({ s: stdioServer() })
    const { call } = callerOf(servers)
    const pid = Number((await call('mcp__s__pid')).text)
    process.kill(pid, 'SIGKILL')
    await waitUntil(() => !isAlive(pid) && servers.status[0]?.state === 'failed')
    expect((await call('mcp__s__pid')).text).toBe('the MCP server s has stopped')
  })
})
