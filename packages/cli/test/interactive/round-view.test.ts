import type { ShownResult } from '@mutsumi/host'
import type { AgentEvent, ToolResult } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { unfinishedTodos } from '../../src/interactive/cards/todo-list.js'
import { Folds } from '../../src/interactive/conversation/folds.js'
import { RoundView } from '../../src/interactive/conversation/round-view.js'
import { openRenderer } from '../../src/interactive/markdown/renderer.js'
import { type Line, lineText } from '../../src/interactive/text/span.js'
import { english } from '../../src/interactive/words/english.js'

interface World {
  readonly results?: Readonly<Record<string, ShownResult>>
  readonly asked?: readonly string[]
}

/** A view with a clock that stands still until it is moved. */
async function viewOf({ results = {}, asked = [] }: World = {}) {
  let time = 0
  const folds = new Folds()
  const view = new RoundView({
    words: english,
    renderer: await openRenderer(),
    model: 'test/model',
    now: () => time,
    resultOf: (call) => results[call],
    wasAsked: (call) => asked.includes(call),
    fold: folds.add,
  })
  const hear = async (...events: readonly AgentEvent[]) => {
    const lines: Line[] = []
    for (const event of events) {
      await view.prepare(event)
      lines.push(...view.hear(event, 60))
    }
    return lines.map(lineText)
  }
  const live = (rows = 10) => view.live(60, rows).map(lineText)
  const wait = (ms: number) => {
    time += ms
  }
  const folded = () => folds.open({ isAgain: false })
  return { folded, hear, live, wait }
}

const start = (id: string, name: string, args = {}): AgentEvent => ({
  type: 'tool-start',
  step: 1,
  call: { id, name, args },
})
const end = (
  call: string,
  name: string,
  line: string,
  status: ToolResult['status'] = 'success',
): AgentEvent => ({
  ...{ type: 'tool-end', step: 1, call, name, status, line, timeMs: 5 },
})
const answer = (text: string): AgentEvent => ({ type: 'answer', text })
const layers = { L1: 10, L2: 0, L3: 0, user: 0, ghost: 0, todo: 0 }
const done: AgentEvent = { type: 'round-end', status: 'done' }

test('H1 a round shows its thoughts, its calls and its answer, with a gap between kinds', async () => {
  const { hear } = await viewOf()
  const lines = await hear(
    { type: 'round-start', cell: 0 },
    { type: 'thought', text: 'I look ' },
    { type: 'thought', text: 'at it.' },
    start('1', 'Read', { path: 'a.ts' }),
    end('1', 'Read', 'lines 1 to 9 of 9'),
    start('2', 'Grep', { pattern: 'x' }),
    end('2', 'Grep', 'it failed', 'error'),
    answer('The **answer**.\n\n'),
    answer('More.'),
    done,
  )
  expect(lines).toEqual([
    ...['I look at it.', ''],
    ...['● Read a.ts  lines 1 to 9 of 9', '✗ Grep x  it failed', ''],
    ...['The answer.', '', 'More.'],
  ])
})

test('H1 the thoughts of two replies are separate, even if the first one called nothing', async () => {
  const { hear } = await viewOf()
  const request: AgentEvent = { type: 'request-start', step: 1, tokens: 10, weight: 10, layers }
  const lines = await hear(
    request,
    { type: 'thought', text: 'one' },
    request,
    { type: 'thought', text: 'two' },
    done,
  )
  expect(lines).toEqual(['one', 'two'])
})

test('H1 the live region shows what the round waits for, then what arrives, and never more rows than fit', async () => {
  const { hear, live, wait } = await viewOf()
  wait(3000)
  expect(live()).toEqual(['◌ waiting for test/model (3 s)'])
  await hear({ type: 'thought', text: 'hm' })
  expect(live()).toEqual(['hm'])
  await hear(answer('half a sen'))
  expect(live()).toEqual(['half a sen'])
  await hear(start('1', 'Bash', { command: 'npm test' }))
  await hear({ type: 'tool-output', call: '1', text: 'one\ntwo\nthree\nfour\nfive\n' })
  wait(2000)
  expect(live()).toEqual(['◌ Bash npm test (2 s)', '  two', '  three', '  four', '  five'])
  expect(live(2)).toHaveLength(2)
  await hear(end('1', 'Bash', 'exit code 0'), {
    type: 'request-start',
    step: 2,
    tokens: 10,
    weight: 10,
    layers,
  })
  expect(live()).toEqual(['◌ waiting for test/model (0 s)'])
})

const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,1 @@\n-old\n+new'

describe('H1 changes', () => {
  test('H1 a change without a question shows its diff', async () => {
    const { hear } = await viewOf({ results: { 1: { text: 'ok', diff } } })
    const lines = await hear(start('1', 'Edit', { path: 'a.ts' }), end('1', 'Edit', 'Changed a.ts'))
    expect(lines.slice(-2)).toEqual(['    1 - old', '    1 + new'])
  })

  test('H1 one that the user has seen already does not show it again', async () => {
    const { hear } = await viewOf({ results: { 1: { text: 'ok', diff } }, asked: ['1'] })
    expect(await hear(start('1', 'Edit', { path: 'a.ts' }), end('1', 'Edit', 'Changed a.ts'))).toEqual([
      '● Edit a.ts  Changed a.ts',
    ])
  })

  test('H1 a long diff is folded, and can be opened', async () => {
    const long = `${diff}\n${Array.from({ length: 100 }, (_, index) => `+line ${index}`).join('\n')}`
    const { hear, folded } = await viewOf({ results: { 1: { text: 'ok', diff: long } } })
    const lines = await hear(start('1', 'Edit', { path: 'a.ts' }), end('1', 'Edit', 'Changed a.ts'))
    expect(lines).toHaveLength(42)
    expect(lines.at(-1)).toBe('  … 65 more lines, Ctrl-O shows all')
    expect(folded()?.title).toBe('Edit a.ts')
    expect(folded()?.lines()).toHaveLength(105)
  })
})

test('H1 the output of a tool is kept to be opened, made safe', async () => {
  const { hear, folded } = await viewOf({ results: { 1: { text: 'one\n\u001b[2Jtwo\n' } } })
  await hear(start('1', 'Bash', { command: 'x' }), end('1', 'Bash', 'exit code 0'))
  expect(folded()?.lines().map(lineText)).toEqual(['one', '\\u001b[2Jtwo'])
})

test('H1 tasks are a list', async () => {
  const { hear } = await viewOf()
  const todos = [{ content: 'first', status: 'completed' }]
  expect(await hear(start('1', 'TodoWrite', { todos }), end('1', 'TodoWrite', '[1/1]'))).toEqual([
    '● TodoWrite  [1/1]',
    'Tasks: 1 of 1 done',
    '  ☑ first',
  ])
})

test('H1 unfinished tasks are shown in few rows, the one in progress even in one', async () => {
  const { hear } = await viewOf()
  const todos = [
    { content: 'first', status: 'completed' as const },
    { content: 'second', status: 'in_progress' as const },
    { content: 'third', status: 'pending' as const },
    { content: 'fourth', status: 'pending' as const },
    { content: 'never', status: 'cancelled' as const },
  ]
  expect(await hear(start('1', 'TodoWrite', { todos }), end('1', 'TodoWrite', '[1/5]'))).toEqual([
    '● TodoWrite  [1/5]',
  ])
  const shown = (rows: number) => unfinishedTodos(todos, { width: 40, words: english, rows }).map(lineText)
  expect(shown(7)).toEqual(['Tasks: 1 of 5 done', '  ▸ second', '  ☐ third', '  ☐ fourth'])
  expect(shown(3)).toEqual(['Tasks: 1 of 5 done', '  ▸ second', '  … 2 more'])
  expect(shown(1)).toEqual(['Tasks: 1 of 5 done  ▸ second'])
  expect(shown(0)).toEqual([])
  expect(
    unfinishedTodos([{ content: 'x', status: 'completed' }], { width: 40, words: english, rows: 5 }),
  ).toEqual([])
})

test('H1 sub-agents are folded cards with the last action of each, and show everything when opened', async () => {
  const { hear, live, wait, folded } = await viewOf()
  const of = (agent: string, task: string, event: AgentEvent): AgentEvent => ({
    type: 'agent',
    agent,
    task,
    event,
  })
  await hear(start('1', 'Task', { description: 'find it', more: [{ description: 'test it' }] }))
  await hear(of('a', 'find it', start('s1', 'Grep', { pattern: 'foo' })))
  await hear(of('a', 'find it', end('s1', 'Grep', '2 matches')))
  await hear(of('a', 'find it', start('s2', 'Read', { path: 'b.ts' })))
  await hear(of('b', 'test it', start('s1', 'Bash', { command: 'npm test' })))
  wait(2000)
  expect(live()).toEqual([
    '◌ Task find it (2 s)',
    '  ◌ find it  2 calls, last: Read b.ts (2 s)',
    '  ◌ test it  1 call, last: Bash npm test (2 s)',
  ])
  await hear(of('a', 'find it', end('s2', 'Read', 'lines 1 to 2')))
  await hear(of('a', 'find it', { ...done, answer: 'It is in\nb.ts.' }))
  await hear(of('b', 'test it', { type: 'round-end', status: 'failed', message: 'no steps left' }))
  wait(5000)
  expect(await hear(end('1', 'Task', '1 of 2 reported', 'partial'))).toEqual([
    '● Task find it  1 of 2 reported',
    '  ● find it  2 calls (2 s)',
    '  ✗ test it  1 call (2 s)',
    '  Ctrl-O shows all of it',
  ])
  expect(folded()?.lines().map(lineText)).toEqual([
    ...['find it', '  ● Grep foo  2 matches', '  ● Read b.ts  lines 1 to 2', '  It is in', '  b.ts.'],
    ...['test it', '  no steps left'],
  ])
})

test('H1 folded parts open from the newest backwards', () => {
  const folds = new Folds()
  expect(folds.open({ isAgain: false })).toBeUndefined()
  for (const title of ['one', 'two', 'three']) folds.add({ title, lines: () => [] })
  const titles = [false, true, true, true, false].map((isAgain) => folds.open({ isAgain })?.title)
  expect(titles).toEqual(['three', 'two', 'one', 'one', 'three'])
})

test('H1 pieces that are taken back stay, with a note', async () => {
  const { hear } = await viewOf()
  expect(await hear(answer('wrong'), { type: 'answer-reset', reason: 'x' }, answer('right'), done)).toEqual([
    ...['wrong', '', 'that was not the whole answer; the model is asked again', '', 'right'],
  ])
})

test('H1 a model’s words before its calls stay, without a note', async () => {
  const { hear } = await viewOf()
  const lines = await hear(
    answer('I look.'),
    { type: 'answer-reset', reason: 'x', as: 'thought' },
    start('1', 'Read', { path: 'a.ts' }),
    end('1', 'Read', 'ok'),
  )
  expect(lines).toEqual(['I look.', '', '● Read a.ts  ok'])
})

test('H1 an answer that was not streamed is shown at the end, once', async () => {
  const { hear } = await viewOf()
  expect(await hear({ ...done, answer: 'all at once' })).toEqual(['all at once'])
  const other = await viewOf()
  expect(await other.hear(answer('streamed'), { ...done, answer: 'streamed' })).toEqual(['streamed'])
})

test('H1 warnings, compactions and bad ends are lines of their own', async () => {
  const { hear } = await viewOf()
  const lines = await hear(
    { type: 'warning', warning: { code: 'w', message: 'look\u0007', source: 'a.md', line: 2, column: 3 } },
    { type: 'compaction-end', before: 9000, after: 3000, loss: ['2 rounds left'] },
    { type: 'round-end', status: 'cancelled', message: 'cancelled' },
  )
  expect(lines).toEqual([
    '⚠ a.md:2:3: warning: look\\u0007 [w]',
    'compacted: 9000 → about 3000 tokens',
    '  2 rounds left',
    '✗ cancelled',
  ])
})

test('N2 a round that failed before anything was said says how to try again', async () => {
  const end = { type: 'round-end', status: 'fault', message: 'The key is refused.' } as const
  const { hear } = await viewOf()
  expect(await hear(end)).toEqual(['✗ the model failed: The key is refused.', 'Up, Enter tries again.'])
  const other = await viewOf()
  const said = await other.hear(answer('some of it'), { ...end, answer: 'some of it' })
  expect(said.join('\n')).not.toContain('tries again')
})

test('A5 while the model is asked again only the live line changes, and it counts down', async () => {
  const message = 'The server is busy (500). Try again later.'
  const retry = {
    type: 'retry',
    attempts: 4,
    waitMs: 1500,
    fault: { kind: 'overloaded', message, status: 500 },
  } as const
  const { hear, live, wait } = await viewOf()
  expect(await hear({ ...retry, attempt: 2 })).toEqual([])
  expect(live()).toEqual(['◌ try 2 of 4 in 2 s: the server is busy or failed (500)'])
  wait(1000)
  expect(live()).toEqual(['◌ try 2 of 4 in 1 s: the server is busy or failed (500)'])
  wait(1000)
  expect(live()).toEqual(['◌ try 2 of 4: the server is busy or failed (500)'])
  expect(await hear({ ...retry, attempt: 3 })).toEqual([])
  const end = { type: 'round-end', status: 'fault', message } as const
  expect((await hear(end)).join('\n').split('The server is busy').length - 1).toBe(1)
})

describe('signs of life', () => {
  test('P6 a stream that stalls for a second says so and counts, also when all of its text is printed', async () => {
    const { hear, live, wait } = await viewOf()
    await hear({ type: 'request-start', step: 1, tokens: 10, weight: 10, layers })
    wait(3000)
    expect(live()).toEqual(['◌ waiting for test/model (3 s)'])
    await hear(answer('I start and then'))
    expect(live()).toEqual(['I start and then'])
    wait(1000)
    expect(live()).toEqual(['I start and then', '◌ no text for 1 s'])
    wait(3200)
    expect(live(1)).toEqual(['◌ no text for 4 s'])
    await hear(answer(' go on.\n\n'))
    expect(live()).toEqual(['◌ writing'])
    wait(2000)
    expect(live()).toEqual(['◌ no text for 2 s'])
    await hear(start('1', 'Bash', { command: 'make' }))
    expect(live()).toEqual(['◌ Bash make'])
  })
})

describe('P5 cards', () => {
  test('P5 the answer of a server shows its first lines, and a task list can be opened', async () => {
    const text = ['said: hello', ...Array.from({ length: 9 }, (_, at) => `${at + 1}: x`)].join('\n')
    const { hear, folded } = await viewOf({ results: { 1: { text } } })
    expect(await hear(start('1', 'mcp__a__say'), end('1', 'mcp__a__say', '1 line'))).toEqual([
      '● mcp__a__say  1 line',
      ...['  said: hello', '  1: x', '  2: x', '  3: x', '  4: x', '  … 5 more lines, Ctrl-O shows all'],
    ])
    const todos = [{ content: 'one', status: 'in_progress' }]
    await hear(start('2', 'TodoWrite', { todos }), end('2', 'TodoWrite', '[0/1] In progress: one.'))
    expect(folded()?.lines().map(lineText)).toEqual(['Tasks: 0 of 1 done', '  ▸ one'])
  })

  test('P5 a long change that was allowed before can be opened, with all that its call asked for', async () => {
    const content = Array.from({ length: 300 }, (_, at) => `line ${at + 1}`)
    const shown = content.slice(0, 130).map((line) => `+${line}`)
    const diff = ['--- a/x', '+++ b/x', '@@ -0,0 +1,300 @@', ...shown, '… (170 more lines)'].join('\n')
    const { hear, folded } = await viewOf({ results: { 1: { text: '', diff } } })
    const args = { path: 'x', content: content.join('\n') }
    const lines = await hear(start('1', 'Write', args), end('1', 'Write', 'Created x.'))
    expect(lines.at(-1)).toBe('  … 94 more lines, Ctrl-O shows all')
    const opened = folded()?.lines().map(lineText) ?? []
    expect(opened.slice(134)).toEqual([
      '',
      '  path: x',
      '  content: ',
      ...content.map((line) => `    ${line}`),
    ])
  })
})
