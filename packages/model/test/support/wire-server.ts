import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A step of an answer: bytes to write, a pause, the end of the connection by FIN or RST, or nothing more for ever. */
export type Step = string | Uint8Array | { readonly waitMs: number } | 'cut' | 'reset' | 'hang'

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  /** Not even a status line before this. */
  readonly silent?: boolean
}

export interface SeenRequest {
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly socket: Socket
}

export interface WireServer {
  /** Without a path. */
  readonly url: string
  readonly port: number
  readonly requests: SeenRequest[]
}

/** A real server on this machine that plays its answers in order; the last one is played again and again. */
export async function wireServer(...answers: readonly Answer[]): Promise<WireServer> {
  const requests: SeenRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url = '', method = '', headers, socket } = request
      requests.push({ path: url, method, headers, body: Buffer.concat(chunks).toString('utf8'), socket })
      const answer = answers[Math.min(requests.length, answers.length) - 1]
      if (answer) void play(answer, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, requests }
}

/** A server that answers whatever it is sent with these bytes, HTTP or not, and keeps the connection. */
export async function rawServer(answer: string | Uint8Array): Promise<WireServer> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, requests: [] }
}

async function play(
  { status = 200, headers, steps, silent }: Answer,
  response: ServerResponse,
): Promise<void> {
  if (silent) return
  response.writeHead(status, { 'content-type': 'text/event-stream', ...headers })
  response.flushHeaders()
  for (const step of steps) {
    if (step === 'hang') return
    if (step === 'cut') {
      // Written data leaves before the connection closes.
      await new Promise<void>((resolve) => response.write('', () => resolve()))
      response.socket?.destroySoon()
      return
    }
    if (step === 'reset') {
      await new Promise<void>((resolve) => response.write('', () => resolve()))
      response.socket?.resetAndDestroy()
      return
    }
    if (typeof step === 'object' && 'waitMs' in step) await wait(step.waitMs)
    else response.write(step)
  }
  response.end()
}

/** `data:` lines, one event each. */
export function events(...values: readonly (object | string)[]): string[] {
  return values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
}

/** Events that carry their type as a name, as Anthropic's and OpenAI's do. */
export function namedEvents(
  ...values: readonly { readonly type: string; readonly [key: string]: unknown }[]
): string[] {
  return values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`)
}

export function failure(status: number, body: object | string, headers: Record<string, string> = {}): Answer {
  const isPage = typeof body === 'string'
  return {
    status,
    headers: { 'content-type': isPage ? 'text/html' : 'application/json', ...headers },
    steps: [isPage ? body : JSON.stringify(body)],
  }
}
