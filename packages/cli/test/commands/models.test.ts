import { offlineNote } from '@mutsumi/host'
import { findLocalServers } from '@mutsumi/model'
import { expect, test } from 'vitest'
import { listedServer } from '../../src/commands/models.js'
import { drawModels } from '../../src/drawing/draw-models.js'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { modelServer } from '../support/model-server.js'

const secret = 'sk-secret-0123456789'

test('A5 H1 models shows the configured model, the keys by name only, and how to name each model', async () => {
  const folder = makeFolder()
  const env = { GROQ_API_KEY: secret, MUTSUMI_MODEL: 'groq/fast' }
  const { code, stdout } = await run(folder, ['models'], { env })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Configured: groq\/fast \(environment\)$/m)
  expect(stdout).toMatch(/^ +--model groq\/\S+ +GROQ_API_KEY is set +https:\/\/api\.groq\.com\/openai\/v1$/m)
  expect(stdout).toMatch(/^ +--model deepseek\/deepseek-chat +DEEPSEEK_API_KEY is not set /m)
  expect(stdout).toMatch(/^ +--model azure\/DEPLOYMENT .* needs its resource: set AZURE_RESOURCE_NAME/m)
  expect(stdout).not.toContain(secret)
  const listing = await runJson(folder, ['models'], { env })
  expect(Object.keys(listing)).toEqual(['configured', 'presets', 'local'])
  expect(listing.configured).toEqual({ model: 'groq/fast', source: 'environment' })
  expect(JSON.stringify(listing)).not.toContain(secret)
})

test('A5 H1 models says what is wrong with the configuration, or that nothing is configured', async () => {
  const folder = makeFolder()
  expect((await runJson(folder, ['models'])).configured).toBeNull()
  const { configured } = await runJson(folder, ['models'], { env: { MUTSUMI_MODEL: 'mistral/x' } })
  expect(configured.problem).toContain('set MUTSUMI_API_KEY or MISTRAL_API_KEY')
})

test('A5 H1 models lists the models of a local server, ready to copy', async () => {
  const hostile = 'x; rm -rf ~\nall is well\u001b[2J'
  const server = await modelServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: [{ id: 'qwen3:8b' }, { id: hostile }] }))
  })
  const port = Number(new URL(server.url).port)
  const ports = [
    { name: 'Ollama', port, provider: 'ollama' as const },
    { name: 'llama.cpp', port },
  ]
  const servers = await findLocalServers({ ports, timeoutMs: 5000 })
  const drawn = drawModels({ configured: null, presets: [], local: servers.map(listedServer) })
  expect(drawn).toContain(`Ollama is running here (${server.url}):\n  --model ollama/qwen3:8b\n`)
  expect(drawn).toContain(`  --model 'ollama/x; rm -rf ~\\u000aall is well\\u001b[2J'`)
  expect(drawn).toContain(`  --model openai-compatible/qwen3:8b --base-url ${server.url}\n`)
  expect(offlineNote(servers).message).toContain(
    'Ollama runs on this machine. To use it: --model ollama/qwen3:8b',
  )
})

test('H1 models --json has the same fields in every language', async () => {
  const env = { MUTSUMI_LANG: 'zh' }
  const { presets } = await runJson(makeFolder(), ['models'], { env })
  const azure = presets.find(({ name }: { name: string }) => name === 'azure')
  expect(Object.keys(azure)).toEqual(['name', 'example', 'keyVariables', 'needsKey', 'missing'])
  expect(azure.missing).toMatch(/^its resource: set AZURE_RESOURCE_NAME/)
})
