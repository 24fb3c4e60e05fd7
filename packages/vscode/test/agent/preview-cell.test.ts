import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openModel } from '@mutsumi/model'
import type { Model, ModelRequest } from '@mutsumi/schema'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ModelUnavailable } from '../../src/agent/model-unavailable.js'
import { openParts } from '../../src/agent/open-parts.js'
import { previewCell, requestOf } from '../../src/agent/preview-cell.js'
import { type AgentParts, runCell } from '../../src/agent/run-cell.js'
import { shownRequest } from '../../src/agent/shown-request.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { sessionBytes, tools } from '../support/notebook.js'

let root: string
let sent: ModelRequest[]
const stop = new AbortController().signal
const path = () => join(root, 'talk.mtm')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-preview-'))
  sent = []
  writeFileSync(join(root, 'a.ts'), 'export const a = 1\n')
})
afterEach(() => rmSync(root, { recursive: true }))

const model: Model = {
  name: 'played',
  callsTools: false,
  async *stream(request) {
    sent.push(request)
    yield { type: 'text', text: 'Thought: ok\nAction: Finish[fine]' }
    yield { type: 'end', reason: 'stop' }
  },
}

const parts = () =>
  openParts({
    ...{ root, trusted: false, folders: [], user: [], project: [], environment: {}, offered: model, stop },
    ...{ ask: async () => 'no' as const, note: () => undefined },
  })

test.for([
  ['a new cell', ['one', 'first'], 1],
  ['a cell that ran before', ['one', 'first'], 0],
] as const)('H2 W4 Debug Context of %s is what its round sends', async ([, first, index]) => {
  const prompt = '#define WHO you\nWhat does @[a.ts] do for {{WHO}}?'
  const rounds = index === 0 ? [[prompt, 'earlier'] as const, first] : [first, [prompt] as const]
  writeFileSync(path(), sessionBytes(...rounds))
  const opened = await parts()
  const notebook = { disk: openNotebook(readFileSync(path()), tools), added: [] }
  const preview = await previewCell(opened, { notebook, cell: `c${index}`, prompt })
  expect(preview.macros).toMatchObject({ WHO: 'you' })
  const run = {
    path: path(),
    cell: `c${index}`,
    prompt,
    signal: stop,
    began: () => undefined,
    ended: () => undefined,
    heard: () => undefined,
  }
  for await (const event of runCell(opened, run))
    if (event.type === 'round-end') expect(event.status).toBe('done')
  expect(JSON.stringify(requestOf(preview))).toBe(JSON.stringify(sent[0]))
})

test('W4 Debug Context has the provider’s own form of a request, its body byte for byte, and no key', async () => {
  writeFileSync(path(), sessionBytes())
  const notebook = { disk: openNotebook(readFileSync(path()), tools), added: [] }
  const choice = {
    provider: 'openai-compatible',
    name: 'm',
    apiKey: 'secret-key',
    baseUrl: 'http://h/v1',
  } as const
  const provider = await openModel({ ...choice, baseUrl: 'http://h/v1', source: 'flag' })
  const preview = await previewCell(await parts(), { notebook, prompt: 'Two\nlines' })
  const { head = [], text, body } = await shownRequest(provider, preview)
  expect(head[0]).toBe('POST http://h/v1/chat/completions')
  expect(head).toContain('authorization: Bearer ***')
  expect(text).toMatch(/content: \|-\n +Two\n +lines/)
  const sentBody = (await provider.providerRequest(requestOf(preview))).body
  expect(body).toBe(sentBody)
  expect(JSON.stringify([head, text, body])).not.toContain('secret-key')
  // The model of this test answers inside the editor.
  expect(await shownRequest(model, preview)).toMatchObject({ text: expect.stringContaining('Two\n') })
})

test('H2 3f without a key a request is known byte for byte, but the model is never asked', async () => {
  writeFileSync(path(), sessionBytes())
  const notebook = { disk: openNotebook(readFileSync(path()), tools), added: [] }
  const opened = (environment: NodeJS.ProcessEnv, name = 'openai/gpt-5') =>
    openParts({
      ...{ root, trusted: false, folders: [], user: [], project: [], environment, model: name, stop },
      ...{ ask: async () => 'no' as const, note: () => undefined },
    })
  const shown = async (own: AgentParts) =>
    shownRequest(own.model, await previewCell(own, { notebook, prompt: 'Look at @[a.ts]' }))
  const keyless = await opened({})
  expect(keyless.fault).toBeInstanceOf(ModelUnavailable)
  expect(await shown(keyless)).toEqual(await shown(await opened({ OPENAI_API_KEY: 'k' })))
  expect(() => keyless.model.stream({ messages: [] })).toThrow(/needs a key/)
  // Of a model that nobody knows, only the messages are known.
  const unknown = await opened({}, 'nobody/x')
  const { head, text } = await shown(unknown)
  expect(head).toBeUndefined()
  expect(text).toContain('export const a = 1')
  expect((await previewCell(unknown, { notebook, prompt: '' })).fault?.message).toMatch(/provider/)
})

test('H2 G8 the price of a drop is known before it is made, and nothing is written', async () => {
  writeFileSync(path(), sessionBytes(['Look at @[a.ts]', 'done']))
  const before = readFileSync(path())
  const notebook = { disk: openNotebook(before, tools), added: [] }
  const opened = await parts()
  const act = { act: 'drop', type: 'file', key: 'a.ts' } as const
  const [whole, less] = [
    await previewCell(opened, { notebook, prompt: 'next' }),
    await previewCell(opened, { notebook, prompt: 'next', acts: [act] }),
  ]
  expect(less.tokens.total).toBeLessThan(whole.tokens.total)
  expect(readFileSync(path()).equals(before)).toBe(true)
})

test('B1 B3 a cell’s history is its request: two builds give the same bytes, the protocol, the items and the macros', async () => {
  writeFileSync(path(), sessionBytes(['#define WHO you', 'ok']))
  const notebook = { disk: openNotebook(readFileSync(path()), tools), added: [] }
  const opened = await parts()
  const build = () => previewCell(opened, { notebook, prompt: 'What is @[a.ts] for {{WHO}}? ![x](gone.png)' })
  const [one, other] = [await build(), await build()]
  expect(JSON.stringify(other.messages)).toBe(JSON.stringify(one.messages))
  expect(one.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  expect(one.messages[0]?.content).toMatch(/Work in steps[\s\S]*\nTask: /)
  expect(one).toMatchObject({ isSubAgent: false, macros: { WHO: 'you' }, contextItems: [{ key: 'a.ts' }] })
  expect(one.allowedUris).toEqual([pathToFileURL(root).href])
  expect(one.warnings).toMatchObject([{ code: 'image' }])
})
