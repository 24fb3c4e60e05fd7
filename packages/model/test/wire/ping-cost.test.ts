import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { runProgram } from '../support/child-program.js'

const megabytes = 8

/** Sends pings as fast as they are taken, so many megabytes of them, and then nothing more. */
async function pingServer(ping: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const chunk = Buffer.from(ping.repeat(Math.ceil(65_536 / ping.length)))
  const server = createServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let sent = 0; sent < megabytes * 2 ** 20; sent += chunk.length)
      if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Tells how much processor time it takes to ask a model whose server sends pings. */
const program = (url: string, provider: string) => `
  import { openModel } from '@mutsumi/model'
  const choice = { provider: '${provider}', name: 'm', baseUrl: '${url}/v1', apiKey: 'k', source: 'flag' } as const
  const model = await openModel(choice, { timeouts: { firstContentMs: 3000 }, retry: { tries: 1 } })
  let fault = ''
  const ask = async () => {
    for await (const event of model.stream({ messages: [{ role: 'user', content: 'hi' }] }))
      if (event.type === 'fault') fault = event.fault.kind
  }
  const before = process.cpuUsage()
  await ask()
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ spentMs: (user + system) / 1000, fault }))`

it.concurrent.for([
  ['openai-compatible', 'comments', ': ping\n\n'],
  ['anthropic', 'comments', ': ping\n\n'],
  ['anthropic', 'events', 'event: ping\ndata: {"type": "ping"}\n\n'],
  ['openai', 'events', 'data: {"type":"keepalive","sequence_number":7}\n\n'],
])(
  'A5 %s: a flood of pings that are %s ends as a stall and takes almost no processor time',
  { timeout: 60_000 },
  async ([provider = '', , ping = ''], { onTestFinished }) => {
    const { url, close } = await pingServer(ping)
    onTestFinished(close)
    const printed = await runProgram(program(url, provider))
    const { spentMs, fault } = JSON.parse(printed) as { spentMs: number; fault: string }
    expect(fault).toBe('timeout')
    // About 25 ms a megabyte, the start of the program included. It was up to 313 where the SDK saw every ping.
    expect(spentMs / megabytes).toBeLessThan(250)
  },
)
