import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEvent, ModelRequest } from '@mutsumi/schema'
import { createSession, openSession } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, parsePermissionRules, Workspace } from '@mutsumi/tools'
import { afterEach, expect, test } from 'vitest'
import { Agent } from '../src/agent.js'
import { type Played, PlayedModel } from './support/agent.js'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const finish = (answer: string) => `Action: Finish[${answer}]`
const action = (name: string, args: object) => `Action: ${name}[${JSON.stringify(args)}]`

/** An agent in a folder with one file, and what happens when it is asked. */
async function ask(
  replies: readonly Played[],
  { allow = '', signal }: { allow?: string; signal?: AbortSignal } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-task-'))
  folders.push(root)
  writeFileSync(join(root, 'a.ts'), 'export const a = 1\n')
  const opening = await createSession(join(root, '.mutsumi', 'sessions', 'parent.mtm'))
  if (opening.kind !== 'opened') throw new Error(opening.message)
  const model = new PlayedModel(replies)
  const rules = parsePermissionRules(allow).flatMap((parsed) => (parsed.kind === 'rule' ? [parsed.rule] : []))
  const gate = new PermissionGate({ root, rules: [{ allow: rules, deny: [] }] })
  const workspace = new Workspace({ root })
  const agent = await Agent.open({ session: opening.file, workspace, model, tools: builtInTools(), gate })
  const events: AgentEvent[] = []
  for await (const event of agent.run('go', signal)) events.push(event)
  const { id } = opening.file.header
  await opening.file.close()
  return { root, events, requests: model.requests, parent: id }
}

const systemOf = (request: ModelRequest | undefined) => String(request?.messages[0]?.content)

test('A7 a sub-agent has a session of its own, and the parent gets its report', async () => {
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
