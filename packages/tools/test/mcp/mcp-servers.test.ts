import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  callerOf,
  connect,
  isAlive,
  startHttpServer,
  stdioServer,
  waitUntil,
} from '../support/mcp-fixture.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The address of a server that has just closed. */
async function deadAddress(): Promise<string> {
  const server = createServer()
  const address = await listen(server)
  server.close()
  return address
}

/** Takes every connection and says nothing; notes who comes and goes. */
async function muteAddress(notes: string[] = []): Promise<string> {
  const server = createServer((socket) => {
    notes.push('open')
    socket.on('close', () => notes.push('close')).on('error', () => socket.destroy())
  })
  onTestFinished(() => void server.close())
  return listen(server)
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // It listens on TCP, so it is not the name of a pipe.
  return `http://127.0.0.1:${port}/mcp`
}

describe('servers', () => {
  test('T9 over stdio offer their tools as mcp__server__tool, from all pages of the list', async () => {
    const servers = await connect({ tickets: stdioServer() })
    expect(servers.status).toMatchObject([{ name: 'tickets', state: 'ready', reason: '', warnings: [] }])
    expect(servers.status[0]?.tools).toEqual(servers.tools.map(({ name }) => name))
    expect(servers.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['mcp__tickets__echo', 'mcp__tickets__crash']),
    )
    const { call, prompt } = callerOf(servers)
    expect(await call('mcp__tickets__echo', { text: 'hello' })).toMatchObject({
      status: 'success',
      text: 'hello',
      data: { server: 'tickets', tool: 'echo', truncated: false },
    })
    expect(prompt).toContain(
      'mcp__tickets__echo: Says it again.\n{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}',
    )
  })

  test('T9 over streamable HTTP offer theirs, get the headers, and are notified at the end', async () => {
    const { url, output } = await startHttpServer()
    const headers = { authorization: 'Bearer letmein-please' }
    const servers = await connect({ web: { origin: 'user', url, headers } })
    expect(servers.status).toMatchObject([{ name: 'web', state: 'ready' }])
    const { call } = callerOf(servers)
    expect(await call('mcp__web__echo', { text: 'over http' })).toMatchObject({ text: 'over http' })
    await servers.close()
    await waitUntil(() => output().includes('session closed'))
    expect((await call('mcp__web__echo', { text: 'late' })).text).toBe('the MCP server web is closed')
  })

  test('T9 over HTTP that refuse the key say so, without the key', async () => {
    const { url } = await startHttpServer()
    const headers = { authorization: 'Bearer sk-of-the-user' }
    const servers = await connect({ web: { origin: 'user', url, headers } })
    expect(servers.status).toMatchObject([{ state: 'failed', reason: expect.stringContaining('not with') }])
    expect(servers.status[0]?.reason).not.toContain('sk-of-the-user')
  })

  test('T9 that fail, hang, die or do not exist do not affect the others', async () => {
    const notes: string[] = []
    const servers = await connect(
      {
        hangs: stdioServer('silent'),
        dies: stdioServer('dies'),
        missing: { origin: 'user', command: '/nowhere/server' },
        empty: { origin: 'user', command: '' },
        address: { origin: 'user', url: 'file:///etc/passwd' },
        mute: { origin: 'user', url: await muteAddress(notes) },
        alsoMute: { origin: 'user', url: await muteAddress(notes) },
        refused: { origin: 'user', url: await deadAddress() },
        works: stdioServer(),
      },
      { connectTimeoutMs: 6_000 },
    )
    // They are waited for side by side: the second is asked before the first is given up.
    expect(notes.slice(0, 2)).toEqual(['open', 'open'])
    const reasons = Object.fromEntries(
      servers.status.map(({ name, state, reason }) => [name, [state, reason]]),
    )
    expect(reasons).toEqual({
      hangs: ['failed', expect.stringMatching(/^did not answer within 6000 ms; it wrote: \d+$/)],
      dies: ['failed', expect.stringMatching(/; it wrote: no licence found$/)],
      missing: ['failed', expect.stringMatching(/ENOENT/)],
      empty: ['failed', 'could not be reached: its command is empty'],
      address: ['failed', 'could not be reached: its url is not an http or https address'],
      mute: ['failed', 'did not answer within 6000 ms'],
      alsoMute: ['failed', 'did not answer within 6000 ms'],
      refused: ['failed', expect.stringMatching(/ECONNREFUSED/)],
      works: ['ready', ''],
    })
    expect(await callerOf(servers).call('mcp__works__echo', { text: 'unharmed' })).toMatchObject({
      text: 'unharmed',
    })
    const hanging = Number(/\d+$/.exec(reasons.hangs?.[1] ?? '')?.[0])
    await servers.close()
    await waitUntil(() => !isAlive(hanging))
  })

  test('T9 lose only the tool with a broken schema', async () => {
    const servers = await connect({ odd: stdioServer('bad-schema') })
    expect(servers.status).toMatchObject([
      {
        state: 'ready',
        tools: ['mcp__odd__good', 'mcp__odd__loop'],
        warnings: [
          'tool 2 was left out: its input schema does not describe an object',
          'tool 3 was left out: its input schema does not describe an object',
          'tool 4 was left out: it is not an object',
          'tool 5 was left out: its name is listed twice',
        ],
      },
    ])
    expect(await callerOf(servers).call('mcp__odd__loop')).toMatchObject({ text: 'called' })
  })

  test('T9 get none of our keys, and the variables in their config', async () => {
    process.env.MUTSUMI_TEST_API_KEY = 'secret'
    process.env.MUTSUMI_TEST_PLAIN = 'plain'
    const servers = await connect({ s: stdioServer('normal', { TICKETS_TOKEN: 'theirs' }) })
    delete process.env.MUTSUMI_TEST_API_KEY
    delete process.env.MUTSUMI_TEST_PLAIN
    const names = (await callerOf(servers).call('mcp__s__environment')).text.split('\n')
    expect(names).toEqual(expect.arrayContaining(['PATH', 'TICKETS_TOKEN']))
    expect(names.filter((name) => name.startsWith('MUTSUMI_TEST'))).toEqual([])
  })

  test('T9 run in the folder given, or in their own', async () => {
    const { path } = temporaryFolder({ 'inner/a.txt': '' })
    const own = { ...stdioServer(), cwd: `${path}/inner` }
    const servers = await connect({ given: stdioServer(), own }, { cwd: path })
    const { call } = callerOf(servers)
    expect((await call('mcp__given__folder')).text).toBe(path)
    expect((await call('mcp__own__folder')).text).toBe(`${path}/inner`)
  })

  test('T9 end at close, or with the process if it never calls close', async () => {
    const before = process.listeners('exit')
    const servers = await connect({ one: stdioServer(), two: stdioServer() })
    const { call } = callerOf(servers)
    const one = Number((await call('mcp__one__pid')).text)
    const two = Number((await call('mcp__two__pid')).text)
    expect([isAlive(one), isAlive(two)]).toEqual([true, true])
    for (const listener of process.listeners('exit').filter((found) => !before.includes(found))) listener(0)
    await waitUntil(() => !isAlive(one) && !isAlive(two))
    await servers.close()
    expect(process.listeners('exit')).toEqual(before)
  })

  test('T9 that another program started end with it, even if they hang', async () => {
    const silent = stdioServer('silent')
    const [script = '', mode = ''] = 'args' in silent ? (silent.args ?? []) : []
    // As with npx: a process between us and the server that does not pass on signals.
    const wrapper = `require('node:child_process').spawnSync(process.execPath, ${JSON.stringify([script, mode])}, { stdio: 'inherit' })`
    const behind = { origin: 'user', command: process.execPath, args: ['-e', wrapper] } as const
    const servers = await connect({ behind }, { connectTimeoutMs: 2_000 })
    const pid = Number(/\d+$/.exec(servers.status[0]?.reason ?? '')?.[0])
    expect(pid).toBeGreaterThan(1)
    await servers.close()
    await waitUntil(() => !isAlive(pid))
  })

  test('T9 if there are none, nothing is loaded and nothing is listed', async () => {
    const servers = await connect({})
    expect([servers.tools, servers.status, await servers.refresh()]).toEqual([[], [], false])
  })

  test('A8 of a workspace do nothing before the user trusts it', async () => {
    const folder = temporaryFolder()
    const touch = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(folder.at('ran'))}, '')`]
    const theirs = { origin: 'workspace', command: process.execPath, args: touch } as const
    const untrusted = await connect({ theirs, ours: stdioServer() })
    expect(untrusted.status).toMatchObject([
      { name: 'ours', state: 'ready' },
      {
        name: 'theirs',
        state: 'failed',
        reason: 'is named by this workspace, which is not trusted (mutsumi trust)',
      },
    ])
    const ran = () => existsSync(folder.at('ran'))
    expect(ran()).toBe(false)
    await connect({ theirs }, { trusted: true })
    expect(ran()).toBe(true)
  })
})
