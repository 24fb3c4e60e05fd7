import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type ProviderChoice, type ProviderName, reachModel } from '../src/index.js'

async function serverThat(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function choiceAt(baseUrl: string, provider: ProviderName = 'openai-compatible'): ProviderChoice {
  return { provider, name: 'mm', baseUrl, apiKey: 'sk-secret-0123456789', source: 'flag' }
}

test.each([
  ['openai-compatible', '{"data":[{"id":"mm"}]}', 'authorization', 'Bearer sk-secret-0123456789'],
  ['anthropic', '{"data":[{"id":"mm"}]}', 'x-api-key', 'sk-secret-0123456789'],
  ['google', '{"models":[{"name":"models/mm"}]}', 'x-goog-api-key', 'sk-secret-0123456789'],
] as const)(
  'M1 %s is asked for its models, with the key in its own form',
  async (provider, body, header, value) => {
    const seen: (string | string[] | undefined)[] = []
    const url = await serverThat((request, response) => {
      seen.push(request.method, request.url, request.headers[header])
      response.end(body)
    })
    expect(await reachModel(choiceAt(`${url}/`, provider))).toEqual({
      ...{ kind: 'reached', ms: expect.any(Number), isListed: true, names: ['mm'] },
    })
    expect(seen).toEqual(['GET', '/v1/models', value])
  },
)

test.each([
  [200, '{"data":[]}', { kind: 'reached', ms: expect.any(Number) }],
  [200, 'no JSON', { kind: 'reached', ms: expect.any(Number) }],
  [404, '', { kind: 'reached', ms: expect.any(Number) }],
  [401, '', { kind: 'refused', status: 401 }],
  [403, '', { kind: 'refused', status: 403 }],
  [
    503,
    '',
    {
      ...{ kind: 'unreachable' },
      fault: expect.objectContaining({ status: 503, message: 'the server answers with 503' }),
    },
  ],
])('M1 an answer with %i and %j', async (status, body, reach) => {
  const url = await serverThat((_, response) => void response.writeHead(status).end(body))
  expect(await reachModel(choiceAt(url))).toEqual(reach)
})

test('M1 the wait for a server that never answers ends after the given time', async () => {
  const url = await serverThat(() => undefined)
  expect(await reachModel(choiceAt(url), { timeoutMs: 50 })).toMatchObject({ kind: 'unreachable' })
})

test('M1 an unreachable server is reported without the secrets in its address', async () => {
  const reach = await reachModel(choiceAt('http://me:secretsecret@127.0.0.1:9/v1'))
  expect(reach).toMatchObject({
    kind: 'unreachable',
    fault: { message: expect.stringContaining('Nothing listens') },
  })
  expect(JSON.stringify(reach)).not.toContain('secretsecret')
})
