import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { knownModels, modelsAt } from '../../src/index.js'

/** A server that lists models if it gets the key. */
async function serverOf(names: readonly string[], key?: string): Promise<string> {
  const server = createServer(({ headers }, response) => {
    if (key !== undefined && headers.authorization !== `Bearer ${key}`) return response.writeHead(401).end()
    return response.end(JSON.stringify({ data: names.map((id) => ({ id })) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

test('M1 providers with a key list what they offer, and one that refuses the key or does not answer says so', async () => {
  const good = await serverOf(['gpt-b', 'gpt-a', 'text-embedding-3'], 'right')
  const known = await knownModels({ OPENAI_API_KEY: 'right', OPENAI_BASE_URL: good })
  const place = (wanted: string) => known.filter((each) => each.place === wanted)
  expect(place('openai').map(({ model }) => model)).toEqual(['openai/gpt-a', 'openai/gpt-b'])
  expect(place('anthropic')).toMatchObject([{ lack: 'setup' }])
  const [refused] = (await knownModels({ OPENAI_API_KEY: 'wrong', OPENAI_BASE_URL: good })).filter(
    (each) => each.place === 'openai',
  )
  expect(refused).toMatchObject({ lack: 'accepted-key', missing: 'the key is refused (401)' })
  // What answers comes first, and the built-in model always does.
  const offline = known.findIndex(({ model }) => model === 'offline')
  expect(known.slice(0, offline).every(({ missing }) => missing === undefined)).toBe(true)
  expect(known.slice(offline + 1).every(({ missing }) => missing !== undefined)).toBe(true)
})

test('M1 a server of the user lists its models under its address', async () => {
  const server = await serverOf(['mine'])
  expect(await modelsAt(server, {})).toEqual([
    { model: 'openai-compatible/mine', baseUrl: server, place: server },
  ])
  expect((await knownModels({}, server)).map(({ model }) => model)).toContain('openai-compatible/mine')
})
