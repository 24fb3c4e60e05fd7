import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HttpRequest, httpFetch } from '../../src/wire/http-fetch.js'
import { proxyFor } from '../../src/wire/proxy.js'
import { defaultTimeouts } from '../../src/wire/timeouts.js'
import { ask, faultIn, modelAt, textIn } from '../support/asking.js'
import { runProgram } from '../support/child-program.js'
import { chat } from '../support/dialects.js'
import { wireServer } from '../support/wire-server.js'

const options = { timeouts: defaultTimeouts, maxBytes: 1_000_000 }

describe('packed answers', () => {
  const packers = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const
  it.each(Object.keys(packers) as (keyof typeof packers)[])('A5 %s is unpacked', async (coding) => {
    const packed = packers[coding](chat.reply({ texts: ['Hello ', '世界'] }).steps.join(''))
    const half = Math.floor(packed.length / 2)
    const steps = [packed.subarray(0, half), { waitMs: 20 }, packed.subarray(half)]
    const server = await wireServer({ headers: { 'content-encoding': coding }, steps })
    expect(textIn(await ask(await modelAt(server)))).toBe('Hello 世界')
  })

  it('A5 an answer that cannot be unpacked is malformed', async () => {
    const server = await wireServer({ headers: { 'content-encoding': 'gzip' }, steps: ['not gzip at all'] })
    expect(faultIn(await ask(await modelAt(server))).kind).toBe('malformed')
    const odd = await wireServer({ headers: { 'content-encoding': 'zip9' }, steps: ['x'] })
    expect(faultIn(await ask(await modelAt(odd)))).toMatchObject({
      kind: 'malformed',
      message: expect.stringContaining('zip9'),
    })
  })

  it('A5 a small answer that unpacks to a huge one is cut off', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'data: x\n'))
    const server = await wireServer({ headers: { 'content-encoding': 'gzip' }, steps: [bomb] })
    const request: HttpRequest = { method: 'GET', url: server.url }
    await expect((await httpFetch(request, options)).text()).rejects.toMatchObject({
      fault: { kind: 'malformed' },
    })
  })
})

describe('proxies', () => {
  it('A5 the environment names the proxy, and this machine’s own addresses never use it', () => {
    const environment = {
      HTTPS_PROXY: 'http://proxy:3128',
      HTTP_PROXY: 'plain:80',
      NO_PROXY: 'corp.test, .lan,x.y:8443',
    }
    const host = (url: string) => proxyFor(new URL(url), environment)?.host
    expect(host('https://api.openai.com')).toBe('proxy:3128')
    expect(host('http://api.openai.com')).toBe('plain')
    for (const url of [
      'http://localhost:1',
      'http://127.0.0.1:1',
      'http://[::1]:1',
      'https://corp.test',
      'https://a.corp.test',
      'https://box.lan',
      'https://x.y:8443',
    ])
      expect(host(url)).toBeUndefined()
    expect(host('https://notcorp.test')).toBe('proxy:3128')
    expect(host('https://x.y')).toBe('proxy:3128')
    expect(() => proxyFor(new URL('https://a.test'), { https_proxy: 'socks5://p' })).toThrow(
      /unsupported proxy/,
    )
  })

  it('A5 a plain request goes through the proxy unchanged, with the proxy’s name and password', async () => {
    const proxy = await wireServer({ steps: ['through the proxy'] })
    const environment = { HTTP_PROXY: proxy.url.replace('http://', 'http://me:secret@') }
    const request: HttpRequest = { method: 'POST', url: 'http://model.test:81/v1/x?y=1', body: '{}' }
    const reply = await httpFetch(request, { ...options, environment })
    expect(await reply.text()).toBe('through the proxy')
    const [seen] = proxy.requests
    expect(seen).toMatchObject({ path: 'http://model.test:81/v1/x?y=1', body: '{}' })
    expect(seen?.headers).toMatchObject({
      host: 'model.test:81',
      'proxy-authorization': `Basic ${Buffer.from('me:secret').toString('base64')}`,
    })
  })

  it('A5 a tunnel that the proxy refuses is reported with its status', async () => {
    const proxy = await listening(
      createHttpServer().on('connect', (_, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n')),
    )
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy}` }
    const asked = httpFetch({ method: 'GET', url: 'https://model.test/' }, { ...options, environment })
    await expect(asked).rejects.toMatchObject({
      fault: { kind: 'network', message: expect.stringContaining('407') },
    })
  })

  it('A5 a tunnel that never opens can be cancelled, or times out', async () => {
    const proxy = await listening(createHttpServer().on('connect', () => undefined))
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy}` }
    const request: HttpRequest = { method: 'GET', url: 'https://model.test/' }
    const signal = AbortSignal.timeout(100)
    const stopped = httpFetch({ ...request, signal }, { ...options, environment })
    await expect(stopped).rejects.toMatchObject({ fault: { kind: 'cancelled' } })
    const timeouts = { ...defaultTimeouts, connectMs: 200 }
    const late = httpFetch(request, { ...options, environment, timeouts })
    await expect(late).rejects.toMatchObject({ fault: { message: expect.stringContaining('within 0.2 s') } })
  })

  it('A5 a secure request goes through a tunnel, and the server’s own certificate is checked', async () => {
    const { pair } = selfSigned()
    const secure = await listening(createTlsServer(pair, (_, response) => response.end('tunnelled')))
    const proxy = tunnelTo(secure)
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${await listening(proxy.server)}` }
    const asked = httpFetch({ method: 'GET', url: 'https://model.test/' }, { ...options, environment })
    await expect(asked).rejects.toMatchObject({
      fault: {
        kind: 'network',
        message: expect.stringMatching(/certificate of model\.test:443.*self-signed/),
      },
    })
    expect(proxy.targets).toEqual(['model.test:443'])
  })

  it('A5 unanswered TLS in a tunnel ends with the connection timeout', async () => {
    const mute = await listening(createTcpServer())
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${await listening(tunnelTo(mute).server)}` }
    const timeouts = { ...defaultTimeouts, connectMs: 500 }
    const request: HttpRequest = { method: 'GET', url: 'https://model.test/' }
    const late = httpFetch(request, { ...options, environment, timeouts })
    await expect(late).rejects.toMatchObject({
      fault: { kind: 'timeout', message: expect.stringMatching(/No connection to model\.test .*0\.5 s/) },
    })
    const stopped = httpFetch({ ...request, signal: AbortSignal.timeout(200) }, { ...options, environment })
    await expect(stopped).rejects.toMatchObject({ fault: { kind: 'cancelled' } })
  })

  it('A5 a model over TLS answers, directly and through a proxy, if its certificate is known', async () => {
    const { pair, file } = selfSigned()
    const answer = chat.reply({ texts: ['safe and sound'] }).steps.join('')
    const secure = await listening(
      createTlsServer(pair, (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(answer)
      }),
    )
    const proxy = tunnelTo(secure)
    const address = `http://127.0.0.1:${await listening(proxy.server)}`
    const printed = await runProgram(
      `import { openModel } from '@mutsumi/model'
       for (const baseUrl of ['https://localhost:${secure}/v1', 'https://model.test/v1']) {
         const choice = { provider: 'openai-compatible', name: 'm', baseUrl, source: 'flag' } as const
         const model = await openModel(choice, { environment: { HTTPS_PROXY: '${address}' } })
         const messages = [{ role: 'user', content: 'hi' }] as const
         for await (const event of model.stream({ messages })) console.log(JSON.stringify(event))
       }`,
      { environment: { NODE_EXTRA_CA_CERTS: file } },
    )
    expect(printed.match(/safe and sound/g)).toHaveLength(2)
    expect(proxy.targets).toEqual(['model.test:443'])
  })
})

describe('requests', () => {
  it('A5 an invalid address is a configuration fault', async () => {
    for (const url of ['nonsense', 'ftp://a/b'])
      await expect(httpFetch({ method: 'GET', url }, options)).rejects.toMatchObject({
        fault: { kind: 'configuration' },
      })
  })

  it('A5 an untrusted certificate is refused, with the reason', async () => {
    const port = await listening(createTlsServer(selfSigned().pair, (_, response) => response.end('hi')))
    const asked = httpFetch({ method: 'GET', url: `https://127.0.0.1:${port}/` }, options)
    await expect(asked).rejects.toMatchObject({
      fault: { kind: 'network', message: expect.stringContaining('self-signed') },
      passing: false,
    })
  })
})

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A proxy whose every tunnel ends at one port. */
function tunnelTo(port: number) {
  const targets: string[] = []
  const server = createHttpServer().on('connect', ({ url = '' }, socket) => {
    targets.push(url)
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    // A refused certificate ends both.
    for (const one of [onward, socket]) one.on('error', () => undefined)
  })
  return { server, targets }
}

/** A certificate that vouches for itself, and the file it is in. */
function selfSigned(): { readonly pair: { key: string; cert: string }; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = 'subjectAltName=DNS:localhost,DNS:model.test'
  const kind = ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-addext', names]
  execFileSync('openssl', [...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { pair: { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }, file: cert }
}
