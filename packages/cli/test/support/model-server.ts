import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { finish } from './scripted.js'

export interface ModelServer {
  /** Its chat completions, for `--base-url`. */
  readonly url: string
  readonly requests: ModelServerRequest[]
}

export interface ModelServerRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A real server on loopback; it gives one answer to everybody, or what `reply` says. */
export async function modelServer(
  reply: (response: ServerResponse, request: ModelServerRequest) => void = (response) =>
    answerWith(response, finish('fine')),
): Promise<ModelServer> {
  const requests: ModelServerRequest[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body }
      requests.push(received)
      reply(response, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests }
}

/** A text as OpenAI's chat completions stream it, and what they count where `usage` says it. */
export function answerWith(response: ServerResponse, text: string, usage?: object): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (delta: object, finish_reason: string | null) =>
    response.write(
      `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    )
  chunk({ role: 'assistant', content: text }, null)
  chunk({}, 'stop')
  if (usage) response.write(`data: ${JSON.stringify({ id: 'x', model: 'm', choices: [], usage })}\n\n`)
  response.end('data: [DONE]\n\n')
}

export function refuseWith(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message } }))
}

/** The flags that ask it. */
export function flagsOf({ url }: ModelServer): string[] {
  return ['--model', 'openai-compatible/mm', '--base-url', url]
}
