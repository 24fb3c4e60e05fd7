import type { RunEvent } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { run } from '../support/command.js'
import { flagsOf, modelServer, refuseWith } from '../support/model-server.js'
import { eventSchema, problemsOfEvents, problemsOfRun } from '../support/print-schemas.js'
import { action, finish, scripted } from '../support/scripted.js'

/** Every event there is: a new one does not compile before it stands here. */
const types: Readonly<Record<RunEvent['type'], true>> = {
  init: true,
  'round-start': true,
  warning: true,
  steer: true,
  'request-start': true,
  retry: true,
  thought: true,
  answer: true,
  'answer-reset': true,
  usage: true,
  'tool-start': true,
  'tool-output': true,
  'tool-end': true,
  'compaction-start': true,
  'compaction-end': true,
  agent: true,
  'round-end': true,
}

test('H1 the schema covers every event', () => {
  const known = eventSchema.oneOf.map(
    ({ properties }: { properties: { type: { const: string } } }) => properties.type.const,
  )
  expect(known.sort()).toEqual(Object.keys(types).sort())
})

test('H1 the command’s output for programs matches the schemas', async () => {
  const replies = [
    { text: action('Read', { path: 'a.ts' }), usage: { input: 10, output: 2, cached: 5, written: 1 } },
    action('Bash', { command: 'echo out' }),
    action('Write', { path: 'b.ts', content: 'x' }),
    action('Task', { description: 'look', prompt: 'look around' }),
    finish('report'),
    finish('done'),
  ]
  const { folder, flags } = scripted(replies, { 'a.ts': 'a = 1\n' })
  const ask = (mode: string) => run(folder, ['-p', 'go @[gone.ts]', mode, '--allow', 'Bash,Task', ...flags])
  const stream = await ask('--stream-json')
  expect(problemsOfEvents(stream.stdout)).toEqual([])
  const seen = new Set(
    stream.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type),
  )
  for (const type of [
    'warning',
    'thought',
    'answer',
    'usage',
    'tool-start',
    'tool-output',
    'tool-end',
    'agent',
  ])
    expect(seen).toContain(type)
  const object = await ask('--json')
  expect(problemsOfRun(object.stdout)).toEqual([])
  expect(JSON.parse(object.stdout)).toMatchObject({ status: 'denied', steps: 5 })
})

test('H1 a compaction, a retry and a fault are printed as the schemas say', async () => {
  const { folder, flags } = scripted([finish('ok')])
  const small = ['-c', 'contextWindow=6000', '-c', 'retainRounds=1', '--session', 's.mtm', '--stream-json']
  let printed = ''
  for (let round = 1; round <= 6 && !printed.includes('compaction-end'); round++) {
    const input = `Round ${round}. ${'some words '.repeat(350)}`
    printed = (await run(folder, [...small, ...flags, '-p'], { input })).stdout
  }
  expect(printed).toContain('"compaction-end"')
  expect(problemsOfEvents(printed)).toEqual([])
  const server = await modelServer((response) =>
    server.requests.length === 1
      ? refuseWith(response, 503, 'busy')
      : refuseWith(response, 401, 'who are you?'),
  )
  const refused = await run(folder, ['-p', 'x', '--stream-json', ...flagsOf(server)])
  expect(refused.code).toBe(4)
  expect(refused.stdout).toContain('"retry"')
  expect(problemsOfEvents(refused.stdout)).toEqual([])
})

test('H1 the tokens of sub-agents are part of the usage', async () => {
  const usage = { input: 100, output: 10 }
  const replies = [
    { text: action('Task', { description: 'look', prompt: 'look around' }), usage },
    { text: finish('report'), usage },
    { text: finish('done'), usage },
  ]
  const { folder, flags } = scripted(replies)
  const { stdout } = await run(folder, ['-p', 'go', '--json', '--allow', 'Task', ...flags])
  expect(JSON.parse(stdout).usage).toEqual({ input: 300, output: 30 })
})
