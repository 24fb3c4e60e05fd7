import { join } from 'node:path'
import type { Model, ModelEvent, ModelRequest } from '@mutsumi/schema'
import { expect, it } from 'vitest'
import { makeFolder } from '../../../../test/support/folder.js'
import { openScriptedModel } from '../../src/scripted/scripted-model.js'

const request: ModelRequest = {
  messages: [
    { role: 'system', content: 'You are a test.' },
    { role: 'user', content: [{ type: 'text', text: 'Read a.ts' }] },
  ],
}

async function open(script: unknown, name = 'script.json'): Promise<Model> {
  const folder = makeFolder({ [name]: typeof script === 'string' ? script : JSON.stringify(script) })
  return openScriptedModel(join(folder, name))
}

async function ask(model: Model, asked = request, signal?: AbortSignal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(asked, signal ? { signal } : {})) events.push(event)
  return events
}

function faultOf(events: readonly ModelEvent[]): string {
  const last = events.at(-1)
  return last?.type === 'fault' ? `${last.fault.kind}: ${last.fault.message}` : JSON.stringify(last)
}

it('A6 a script plays its replies in order, and counts a third of the characters', async () => {
  const model = await open(['Hello there', { text: 'Bye' }])
  expect(await ask(model)).toEqual([
    { type: 'text', text: 'Hello there' },
    { type: 'usage', usage: { input: 8, output: 3 } },
    { type: 'end', reason: 'stop' },
  ])
  expect((await ask(model))[0]).toEqual({ type: 'text', text: 'Bye' })
})

it('A6 a script without further replies is a fault that says so', async () => {
  const model = await open(['one'])
  await ask(model)
  expect(faultOf(await ask(model))).toMatch(
    /^configuration: scripted:.*script\.json: the script has one reply, but this is request 2/,
  )
})

it('A6 chunks arrive one by one, after their delays', async () => {
  const model = await open([{ chunks: ['a', { text: 'b', delayMs: 30 }, 'c'], reasoning: 'hm' }])
  const started = performance.now()
  const events = await ask(model)
  expect(performance.now() - started).toBeGreaterThanOrEqual(25)
  expect(events.slice(0, 4)).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'text', text: 'c' },
  ])
})

it('A6 a script can call tools natively and give token counts', async () => {
  const usage = { input: 100, output: 5, cached: 90 }
  const model = await open({
    contextWindow: 8000,
    callsTools: true,
    replies: [
      {
        calls: [
          { name: 'Read', args: { path: 'a.ts' } },
          { name: 'LS', id: 'x' },
        ],
        usage,
      },
    ],
  })
  expect(model).toMatchObject({ callsTools: true, contextWindow: 8000 })
  expect(await ask(model)).toEqual([
    { type: 'call', call: { id: 'scripted_1', name: 'Read', args: { path: 'a.ts' } } },
    { type: 'call', call: { id: 'x', name: 'LS', args: {} } },
    { type: 'usage', usage },
    { type: 'end', reason: 'calls' },
  ])
})

it('A6 a script can fail with any fault, even in the middle of a reply', async () => {
  const fault = { kind: 'rate-limit', message: 'slow down', status: 429, retryAfterMs: 1000 }
  const model = await open([{ text: 'I beg', fault }])
  expect(await ask(model)).toEqual([
    { type: 'text', text: 'I beg' },
    { type: 'fault', fault },
  ])
})

it('A6 a script that hangs ends when it is cancelled, with one fault', async () => {
  const model = await open([{ text: 'wait', hang: true }])
  const stop = new AbortController()
  const asked = ask(model, request, stop.signal)
  setTimeout(() => stop.abort(), 20)
  expect((await asked).map(({ type }) => type)).toEqual(['text', 'fault'])
})

it('A6 a delay ends when the request is cancelled', async () => {
  const model = await open([{ text: 'late', delayMs: 3_600_000 }])
  expect(faultOf(await ask(model, request, AbortSignal.timeout(10)))).toMatch(/^cancelled/)
})

it('A6 a reply ends before a stop text', async () => {
  const model = await open([{ chunks: ['Action: LS[{}]\nObser', 'vation: made up'], finish: 'length' }])
  const events = await ask(model, { ...request, stop: ['\nObservation:'] })
  expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')).toBe(
    'Action: LS[{}]',
  )
  expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' })
})

it('A6 a request that does not contain what the script expects is a fault that shows both', async () => {
  const model = await open([
    { text: 'ok', expect: ['Read a.ts', { regex: '^\\[user\\] read', flags: 'im' }] },
    { text: 'ok', expect: { regex: 'b\\.ts' } },
  ])
  expect((await ask(model))[0]).toEqual({ type: 'text', text: 'ok' })
  expect(faultOf(await ask(model))).toMatch(/does not contain \/b\\.ts\/; it ends with ".*Read a\.ts"/)
})

it('A6 a reply may be played several times, and a script may have one reply per line', async () => {
  const model = await open('// twice\n{"text":"again","repeat":2}\n\n"end"\n', 'script.jsonl')
  const said = [await ask(model), await ask(model), await ask(model)].map(([first]) => first)
  expect(said.map((event) => event?.type === 'text' && event.text)).toEqual(['again', 'again', 'end'])
})

it.for([
  ['no JSON', 'script.json', '[', 'JSON'],
  ['no list', 'script.json', '{}', 'a script is a list of replies'],
  ['a line that is not JSON', 'script.jsonl', '"a"\n{', 'line 2: '],
  ['an unknown field', 'script.json', '[{"txt":"a"}]', 'reply 1: "txt" is not one of text, chunks'],
  ['a wrong type', 'script.json', '["a",{"text":1}]', 'reply 2: text is not a text'],
  ['an unknown fault', 'script.json', '[{"fault":{"kind":"oops"}}]', '"oops" is not one of auth, quota'],
  ['a bad pattern', 'script.json', '[{"expect":{"regex":"("}}]', 'Invalid regular expression'],
] as const)('A6 a script with %s is a fault that names the position', async ([, name, script, problem]) => {
  const fault = faultOf(await ask(await open(script, name)))
  expect(fault).toMatch(/^configuration: scripted:/)
  expect(fault).toContain(problem)
})

it('A6 a missing script is a fault', async () => {
  expect(faultOf(await ask(await openScriptedModel('/nowhere/script.json')))).toContain('ENOENT')
})
