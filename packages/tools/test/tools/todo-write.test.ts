import type { JsonObject } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { createToolRunner, Workspace } from '../../src/index.js'
import { todoWrite } from '../../src/tools/todo-write.js'
import { temporaryFolder } from '../support/temporary-folder.js'

type Task = readonly [content: string, status: string]

function call(tasks: readonly Task[], rest: JsonObject = {}) {
  const { path } = temporaryFolder()
  const runner = createToolRunner({ workspace: new Workspace({ root: path }), tools: [todoWrite] })
  const todos = tasks.map(([content, status]) => ({ content, status }))
  return runner.run({ name: 'TodoWrite', args: { summary: 'the goal', todos, ...rest } }, { allowed: [path] })
}

test('T8 the recap names tasks in progress, pending and cancelled, and counts finished ones', async () => {
  const result = await call([
    ['read the code', 'completed'],
    ['X', 'in_progress'],
    ['a', 'pending'],
    ['b', 'pending'],
    ['c', 'pending'],
    ['d', 'cancelled'],
  ])
  const recap = '[1/6] In progress: X. Pending: a; b; c. Cancelled: d.'
  expect(result).toMatchObject({ status: 'success', text: recap, data: { recap, summary: 'the goal' } })
  expect(result.data.todos).toHaveLength(6)
})

test.for<readonly [string, readonly Task[]]>([
  ['[0/0]', []],
  [
    '[2/2]',
    [
      ['a', 'completed'],
      ['b', 'completed'],
    ],
  ],
  ['[0/1] Pending: a.', [['a', 'pending']]],
  ['[0/1] In progress: Fix it.', [['  Fix it.  ', 'in_progress']]],
  ['[0/1] Cancelled: a\\u000ab.', [['a\nb', 'cancelled']]],
])('T8 the recap leaves out empty parts: %s', async ([recap, tasks]) => {
  expect((await call(tasks)).text).toBe(recap)
})

test('T8 refuses more than 20 tasks, two in progress, and invalid tasks', async () => {
  const errorOf = async (tasks: readonly Task[], rest?: JsonObject) => {
    const result = await call(tasks, rest)
    return result.status === 'error' ? `${result.error.code} ${result.error.message}` : result.status
  }
  const many = (count: number) => Array.from({ length: count }, (): Task => ['a', 'pending'])
  expect(await errorOf(many(20))).toBe('success')
  expect(await errorOf(many(21))).toMatch(/^INVALID_PARAM todos: /)
  expect(
    await errorOf([
      ['a', 'in_progress'],
      ['b', 'in_progress'],
    ]),
  ).toBe('INVALID_PARAM todos: at most one may be in_progress')
  expect(await errorOf([['a', 'unknown']])).toMatch(/^INVALID_PARAM todos\.0\.status: /)
  expect(await errorOf([['  ', 'pending']])).toMatch(/^INVALID_PARAM todos\.0\.content: /)
  expect(await errorOf([], { todos: 'a' })).toMatch(/^INVALID_PARAM todos: /)
})

test('T8 changes nothing outside, so it does not ask', () => {
  expect(todoWrite.effect).toBe('read')
})
