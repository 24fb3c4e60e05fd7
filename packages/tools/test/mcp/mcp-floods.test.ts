import { describe, expect, test } from 'vitest'
import { callerOf, connect, stdioServer } from '../support/mcp-fixture.js'

describe('a server that says without end that its tools changed', () => {
  test('A8 is asked for its tools about once a second, and its calls are answered', async () => {
    const servers = await connect({ s: stdioServer('flood') })
    const { call } = callerOf(servers)
    const start = performance.now()
    let text = ''
    for (let turn = 0; turn < 20; turn++) {
      await servers.refresh()
      text = (await call('mcp__s__listed')).text
    }
    const seconds = (performance.now() - start) / 1_000
    expect(Number(text)).toBeGreaterThan(1)
    // One list at the start, one at once, and then one for each second.
    expect(Number(text)).toBeLessThanOrEqual(3 + seconds)
  }, 60_000)

  test('A8 does not stop a round, even if it no longer lists its tools', async () => {
    const servers = await connect({ s: stdioServer('mute-flood') }, { connectTimeoutMs: 600_000 })
    const { call } = callerOf(servers)
    // Each step would wait for the list until its time limit.
    for (let step = 0; step < 3; step++) {
      expect(await servers.refresh()).toBe(false)
      expect((await call('mcp__s__listed')).status).toBe('success')
    }
  }, 60_000)

  test('A8 leaves time for everything else', async () => {
    await connect({ s: stdioServer('flood') })
    let turns = 0
    const counting = setInterval(() => turns++, 5)
    await expect.poll(() => turns, { timeout: 30_000, interval: 20 }).toBeGreaterThan(50)
    clearInterval(counting)
  }, 60_000)
})
