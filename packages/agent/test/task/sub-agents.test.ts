import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentEvent, ModelRequest } from '@mutsumi/schema'
import { createSession, openSession } from '@mutsumi/session/node'
import {
  builtInTools,
  type PermissionAnswer,
  PermissionGate,
  type PermissionQuestion,
  parsePermissionRules,
  Workspace,
} from '@mutsumi/tools'
import { afterEach, expect, test } from 'vitest'
import { Agent } from '../../src/agent.js'
import { SubAgentSlots } from '../../src/task/sub-agent-slots.js'
import { type Played, PlayedModel } from '../support/agent.js'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const finish = (answer: string) => `Action: Finish[${answer}]`
const action = (name: string, args: object) => `Action: ${name}[${JSON.stringify(args)}]`

/** An agent in a folder with one file, and what happens when it is asked. */
async function ask(
  replies: readonly Played[],
  {
    allow = '',
    signal,
    protocol = 'react',
    answer,
  }: {
    allow?: string
    signal?: AbortSignal
    protocol?: 'react' | 'native'
    answer?: (question: PermissionQuestion) => Promise<PermissionAnswer>
  } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-task-'))
  folders.push(root)
  writeFileSync(join(root, 'a.ts'), 'export const a = 1\n')
  const opening = await createSession(join(root, '.mutsumi', 'sessions', 'parent.mtm'))
  if (opening.kind !== 'opened') throw new Error(opening.message)
  const model = new PlayedModel(replies)
  const rules = parsePermissionRules(allow).flatMap((parsed) => (parsed.kind === 'rule' ? [parsed.rule] : []))
  const gate = new PermissionGate({
    root,
    rules: [{ allow: rules, deny: [] }],
    ...(answer && { ask: answer }),
  })
  const workspace = new Workspace({ root })
  const tools = builtInTools()
  const agent = await Agent.open({ session: opening.file, workspace, model, tools, gate, protocol })
  const events: AgentEvent[] = []
  for await (const event of agent.run('go', signal)) events.push(event)
  const { id } = opening.file.header
  await opening.file.close()
  return { root, events, requests: model.requests, parent: id }
}

const systemOf = (request: ModelRequest | undefined) => String(request?.messages[0]?.content)

test('A7 a sub-agent has its own session, and the parent gets its report', async () => {
  const task = { description: 'find a', prompt: 'What is a?', subagent_type: 'explore' }
  const { root, events, requests, parent } = await ask([
    action('Task', task),
    action('Read', { path: 'a.ts' }),
    finish('a is 1 (a.ts:1)'),
    finish('It is 1.'),
  ])
  expect(events.at(-1)).toMatchObject({ type: 'round-end', status: 'done', answer: 'It is 1.' })
  expect(String(requests.at(-1)?.messages.at(-1)?.content)).toContain('a is 1 (a.ts:1)')
  const path = join(root, '.mutsumi', 'sessions', 'parent-find-a.mtm')
  const opened = await openSession(path, { readOnly: true })
  if (opened.kind !== 'opened') throw new Error(opened.message)
  expect(opened.file.session.metadata).toMatchObject({ parent_agent_id: parent, title: 'find a' })
  expect(opened.file.session.cells[0]?.content).toMatch(/^Explore: .*\n\nWhat is a\?$/)
  await opened.file.close()
  expect(systemOf(requests[1])).toContain('You are a sub-agent')
  expect(systemOf(requests[0])).not.toContain('You are a sub-agent')
  expect(events.filter(({ type }) => type === 'agent').length).toBeGreaterThan(3)
})

test('A7 a sub-agent whose reply is cut off reports the reason and the part that arrived', async () => {
  const cut = [
    { type: 'text', text: 'Action: Finish[a is' },
    { type: 'fault', fault: { kind: 'network', message: 'The connection broke.' } },
  ] as const
  const task = action('Task', { description: 'x', prompt: 'y', subagent_type: 'explore' })
  const { requests } = await ask([task, cut, finish('I ask again.')])
  const seen = String(requests.at(-1)?.messages.at(-1)?.content)
  expect(seen).toContain('The connection broke.')
  expect(seen).toContain('a is')
})

test('A7 a sub-agent that explores cannot write, run or start others', async () => {
  const task = (type: string) => action('Task', { description: 'x', prompt: 'y', subagent_type: type })
  const write = action('Write', { path: 'b.ts', content: 'b' })
  const { root, requests } = await ask(
    [task('explore'), write, task('general'), finish('no'), finish('ok')],
    {
      allow: 'Write',
    },
  )
  expect(existsSync(join(root, 'b.ts'))).toBe(false)
  expect(String(requests[2]?.messages.at(-1)?.content)).toContain('there is no tool named Write')
  expect(String(requests[3]?.messages.at(-1)?.content)).toContain('there is no tool named Task')
})

test('A7 a general sub-agent works under the same permissions', async () => {
  const task = action('Task', { description: 'x', prompt: 'y' })
  const write = action('Write', { path: 'b.ts', content: 'b' })
  const denied = await ask([task, write, finish('denied'), finish('ok')])
  expect(existsSync(join(denied.root, 'b.ts'))).toBe(false)
  const allowed = await ask([task, write, finish('written'), finish('ok')], { allow: 'Write(*.ts)' })
  expect(readFileSync(join(allowed.root, 'b.ts'), 'utf8')).toBe('b')
})

test('A7 A8 a question names the sub-agent that asks, and an answer for the session holds for the parent too', async () => {
  const task = action('Task', { description: 'write b', prompt: 'y' })
  const write = action('Write', { path: 'b.ts', content: 'b' })
  const asked: (string | undefined)[] = []
  const answer = async ({ agent }: PermissionQuestion) => {
    asked.push(agent)
    return asked.length === 1 ? 'no' : 'session'
  }
  await ask([write, task, write, finish('written'), write, finish('ok')], { answer })
  expect(asked).toEqual([undefined, 'write b'])
})

test('A7 a sub-agent has no more access than its parent', async () => {
  const task = action('Task', { description: 'find a', prompt: 'x', subagent_type: 'explore' })
  const { root, requests } = await ask([task, finish('a'), finish('ok')])
  const opened = await openSession(join(root, '.mutsumi', 'sessions', 'parent-find-a.mtm'), {
    readOnly: true,
  })
  if (opened.kind !== 'opened') throw new Error(opened.message)
  expect(opened.file.session.metadata.allowed_uris).toEqual([pathToFileURL(root).href])
  await opened.file.close()
  expect(systemOf(requests[1])).toContain(pathToFileURL(root).href)
})

test('A7 a sub-agent’s missing permission is reported in the parent’s round', async () => {
  const task = action('Task', { description: 'x', prompt: 'y' })
  const write = action('Write', { path: 'b.ts', content: 'b' })
  const { events } = await ask([task, write, finish('denied'), finish('I could not')])
  expect(events.at(-1)).toMatchObject({ type: 'round-end', status: 'denied', answer: 'I could not' })
})

test('A7 a missing permission of one of several is reported too', async () => {
  const one = { description: 'one', prompt: 'first' }
  const two = { description: 'two', prompt: 'second' }
  const reply = (request: ModelRequest) => {
    const asked = request.messages.findLast(({ role }) => role === 'user')
    const writes = String(asked?.content).startsWith('second')
    return writes ? action('Write', { path: 'b.ts', content: 'b' }) : finish('fine')
  }
  const answer = (request: ModelRequest) =>
    request.messages.at(-1)?.role === 'tool' ? finish('denied') : reply(request)
  const { events } = await ask([
    action('Task', { ...one, more: [two] }),
    answer,
    answer,
    answer,
    finish('half of it'),
  ])
  expect(events.at(-1)).toMatchObject({ type: 'round-end', status: 'denied', answer: 'half of it' })
})

test('A7 one call can start several, which work at the same time and report together', async () => {
  const one = { description: 'one', prompt: 'first', subagent_type: 'explore' }
  const two = { description: 'two', prompt: 'second', subagent_type: 'explore' }
  let running = 0
  let most = 0
  const working = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 200))
    running--
  }
  const { events, requests } = await ask([
    action('Task', { ...one, more: [two] }),
    { during: working, say: finish('found') },
    { during: working, say: finish('found too') },
    finish('both'),
  ])
  expect(most).toBe(2)
  expect(events.at(-1)).toMatchObject({ status: 'done', answer: 'both' })
  const seen = String(requests.at(-1)?.messages.at(-1)?.content)
  expect(seen).toContain('## one')
  expect(seen).toContain('## two')
})

test('A7 sub-agents are offered with native calls too', async () => {
  const { requests } = await ask(
    [
      [
        { type: 'text', text: 'hi' },
        { type: 'end', reason: 'stop' },
      ],
    ],
    { protocol: 'native' },
  )
  const task = requests[0]?.tools?.find(({ name }) => name === 'Task')
  expect(task?.parameters).toMatchObject({ type: 'object', required: ['description', 'prompt'] })
})

test('A7 four run at once, the others wait, and a round starts no more than its share', async () => {
  const slots = new SubAgentSlots({ atOnce: 2, perRound: 5 })
  const { signal } = new AbortController()
  let running = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running--
    return 'done'
  }
  const outcomes = await Promise.all(Array.from({ length: 7 }, () => slots.run(work, signal)))
  expect(most).toBe(2)
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(5)
  expect(outcomes[6]).toEqual({ problem: expect.stringContaining('has started 5 sub-agents') })
  slots.beginRound()
  expect(await slots.run(work, signal)).toBe('done')
})

test('A7 after a cancelled round the next one can start sub-agents, however many waited', async () => {
  const slots = new SubAgentSlots({ atOnce: 2, perRound: 24 })
  const stop = new AbortController()
  const never = (signal: AbortSignal) => () =>
    new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('ended'), { once: true }))
  const cancelled = Array.from({ length: 12 }, () => slots.run(never(stop.signal), stop.signal))
  await new Promise((resolve) => setTimeout(resolve, 5))
  stop.abort()
  await Promise.all(cancelled)
  slots.beginRound()
  const { signal } = new AbortController()
  const work = () => new Promise<string>((resolve) => setTimeout(() => resolve('done'), 2))
  const outcomes = await Promise.all(Array.from({ length: 9 }, () => slots.run(work, signal)))
  expect(outcomes).toEqual(Array(9).fill('done'))
})

test('A7 one that waits for its turn ends with its parent', async () => {
  const slots = new SubAgentSlots({ atOnce: 1, perRound: 9 })
  const stop = new AbortController()
  let end: (value: string) => void = () => undefined
  const first = slots.run(() => new Promise<string>((resolve) => (end = resolve)), stop.signal)
  const second = slots.run(async () => 'ran', stop.signal)
  stop.abort()
  expect(await second).toEqual({ problem: expect.stringContaining('cancelled') })
  end('ended')
  expect(await first).toBe('ended')
  expect(await slots.run(async () => 'ran', new AbortController().signal)).toBe('ran')
})

test('A7 sub-agents end with their parent', async () => {
  const stop = new AbortController()
  const cancelling = () => {
    stop.abort()
    return 'Thought: late'
  }
  const task = action('Task', { description: 'x', prompt: 'y' })
  const { events } = await ask([task, cancelling], { signal: stop.signal })
  expect(events.at(-1)).toMatchObject({ type: 'round-end', status: 'cancelled' })
  expect(events.filter(({ type }) => type === 'agent').at(-1)).toMatchObject({
    event: { type: 'round-end', status: 'cancelled' },
  })
})
