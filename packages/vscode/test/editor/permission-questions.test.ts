import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PermissionQuestion } from '@mutsumi/tools'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PermissionQuestions, type ShowQuestion } from '../../src/editor/permission-questions.js'
import { partsIn, played } from '../support/folder.js'

/** The few parts of the editor that questions use. */
vi.mock('vscode', () => ({
  EventEmitter: class {
    readonly event = () => undefined
    readonly fire = () => undefined
  },
  l10n: { t: (text: string, value = '') => text.replace('{0}', value) },
  window: { visibleNotebookEditors: [], showInformationMessage: () => new Promise(() => undefined) },
}))

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-questions-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const question = (id: string) =>
  ({
    call: { id, name: 'Bash', args: { command: 'make' } },
    ...{ effect: 'execute', touched: { command: 'make' }, reason: 'no rule allows it', lasting: [] },
  }) as unknown as PermissionQuestion

const notebook = (name: string) =>
  ({ uri: { toString: () => name } }) as unknown as Parameters<PermissionQuestions['during']>[0]

test('stopping a notebook refuses the questions of its round and its sub-agents, and none of another notebook', async () => {
  const { toolbox } = await partsIn(root, played())
  const questions = new PermissionQuestions()
  // A round has a card for its own call, and none for that of a sub-agent.
  const own =
    (call: string): ShowQuestion =>
    (asked) =>
      'call' in asked && asked.call === call
  const [one, other] = [
    questions.during(notebook('one'), own('call_0')),
    questions.during(notebook('other'), own('call_0')),
  ]
  const answers = new Map<string, unknown>()
  const ask = (session: string, call: string) =>
    questions
      .ask(question(call), { toolbox, session })
      .then((answer) => answers.set(`${session} ${call}`, answer))
  const asked = ['one', 'other'].flatMap((name) => [ask(name, 'call_0'), ask(name, 'sub_agent')])
  await vi.waitUntil(() => questions.open.length === 4, { timeout: 20_000 })
  one.refuse()
  await Promise.all(asked.slice(0, 2))
  expect(Object.fromEntries(answers)).toEqual({ 'one call_0': 'no', 'one sub_agent': 'no' })
  expect(questions.open.map(({ session }) => session)).toEqual(['other', 'other'])
  for (const { answer } of questions.open) answer('once')
  await Promise.all(asked)
  expect(answers.get('other sub_agent')).toBe('once')
  other.dispose()
  await toolbox.close()
})

test('a stopped round asks nothing more, until the next round of its notebook', async () => {
  const { toolbox } = await partsIn(root, played())
  const questions = new PermissionQuestions()
  const asked = { toolbox, session: 'one' }
  const round = questions.during(notebook('one'), () => true)
  // The stop comes while the question is made, and before a sub-agent asks.
  const early = questions.ask(question('call_0'), asked)
  round.refuse()
  expect([await early, await questions.ask(question('sub_agent'), asked)]).toEqual(['no', 'no'])
  expect(questions.open).toEqual([])
  round.dispose()
  const next = questions.during(notebook('one'), () => true)
  const answer = questions.ask(question('call_1'), asked)
  await vi.waitUntil(() => questions.open.length === 1, { timeout: 20_000 })
  questions.open[0]?.answer('once')
  expect(await answer).toBe('once')
  next.dispose()
  await toolbox.close()
})

test('a question of a sub-agent names its task, with hidden characters written out', async () => {
  const { toolbox } = await partsIn(root, played())
  const questions = new PermissionQuestions()
  const asked = { ...question('sub_agent'), agent: 'count\u202e the tests' }
  const answer = questions.ask(asked, { toolbox, session: 'one' })
  await vi.waitUntil(() => questions.open.length === 1, { timeout: 20_000 })
  expect(questions.open[0]?.shown.reason).toBe(
    'The sub-agent for "count\\u202e the tests" asks. no rule allows it',
  )
  questions.open[0]?.answer('no')
  await answer
  await toolbox.close()
})
