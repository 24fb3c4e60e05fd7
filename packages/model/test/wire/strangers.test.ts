import { describe, expect, it } from 'vitest'
import { ask, faultIn, modelAt } from '../support/asking.js'
import { dialects } from '../support/dialects.js'
import { failure, rawServer, wireServer } from '../support/wire-server.js'

const http = (head: string, body = '') => `HTTP/1.1 ${head}\r\n\r\n${body}`

describe('a server that is not a model server', () => {
  const bodies: readonly (readonly [string, string])[] = [
    ['a switch to another protocol', http('101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket')],
    ['a banner of SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a greeting of a mail server', '220 mail.test ESMTP\r\n'],
    ['bytes of TLS', '\u0015\u0003\u0001\u0000\u0002\u0002F'],
    [
      'a page that is called plain text',
      http('200 OK\r\nContent-Type: text/plain', '<!doctype html>\n<p>Hi</p>'),
    ],
  ]

  it.each(bodies)('A5 %s is reported at once, with its address and what to try', async (_, answer) => {
    for (const dialect of dialects) {
      const server = await rawServer(answer)
      const all = await ask(await modelAt(server, { dialect }))
      expect([dialect.provider, all.length]).toEqual([dialect.provider, 1])
      const fault = faultIn(all)
      expect(fault.kind).toBe('malformed')
      expect(fault.message).toContain(`http://127.0.0.1:${server.port}/`)
      expect(fault.message).toContain('this is not a model server. Check the base URL')
    }
  })

  it('A5 a page is reported with its title', async () => {
    for (const dialect of dialects) {
      const server = await wireServer(failure(200, '<html><title>Log in to HotelNet</title></html>'))
      const fault = faultIn(await ask(await modelAt(server, { dialect })))
      expect(fault).toMatchObject({ kind: 'malformed', status: 200 })
      expect(fault.message).toContain('a web page ("Log in to HotelNet"): this is not a model server')
      expect(server.requests).toHaveLength(1)
    }
  })

  it('A5 a plain text is reported as such', async () => {
    for (const dialect of dialects) {
      const server = await wireServer({ headers: { 'content-type': 'text/plain' }, steps: ['It works!\n'] })
      const fault = faultIn(await ask(await modelAt(server, { dialect })))
      expect(fault.message).toContain('not a stream of events: this is not a model server')
    }
  })

  it('A5 garbage in the middle of an answer is not blamed on the network', async () => {
    const head = http('200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked')
    const event = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'
    const answer = `${head}${event.length.toString(16)}\r\n${event}\r\nthis is no chunk\r\n`
    const fault = faultIn(await ask(await modelAt(await rawServer(answer))))
    expect(fault).toMatchObject({
      kind: 'malformed',
      message: expect.stringContaining('stopped being valid HTTP'),
    })
  })
})
