import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { object, string } from 'zod'
import {
  builtInTools,
  createToolRunner,
  defineTool,
  type ToolRunnerOptions,
  Workspace,
} from '../../src/index.js'
import { PermissionGate } from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const echo = defineTool({
  name: 'Echo',
  effect: 'read',
  prompt: 'Echo: says it again.',
  parameters: object({ text: string() }),
  run: ({ text }) => ({ status: 'success', data: { text }, text, stats: { letters: text.length } }),
})

const wipe = defineTool({
  name: 'Wipe',
  effect: 'write',
  prompt: 'Wipe: wipes.',
  parameters: object({}),
  run: () => ({ status: 'success', data: { wiped: true }, text: 'wiped' }),
})

function runnerOf(options: Partial<ToolRunnerOptions> = {}) {
  const { path } = temporaryFolder({ 'a.txt': 'content' })
  const runner = createToolRunner({
    workspace: new Workspace({ root: path }),
    tools: [echo, wipe],
    ...options,
  })
  return {
    path,
    runner,
    run: (name: string, args = {}, signal?: AbortSignal) =>
      runner.run({ name, args }, { allowed: [path], ...(signal && { signal }) }),
  }
}

describe('a listener', () => {
  const talk = defineTool({
    name: 'Talk',
    effect: 'read',
    prompt: 'Talk: talks.',
    parameters: object({}),
    run(_args, { onEvent }) {
      for (const text of ['a', 'b']) onEvent?.({ type: 'tool-output', stream: 'stdout', text })
      return { status: 'success', data: {}, text: 'done' }
    },
  })

  test.for([
    ['throws', () => expect.fail('on purpose')],
    ['fails later', () => Promise.reject(new Error('on purpose'))],
  ] as const)('T7 that %s neither fails the tool nor misses later events', async ([, fail]) => {
    const heard: string[] = []
    const { run } = runnerOf({
      tools: [talk],
      onEvent: (_call, event) => {
        heard.push(event.type === 'tool-output' ? event.text : event.type)
        return fail()
      },
    })
    expect(await run('Talk')).toMatchObject({ status: 'success', text: 'done' })
    expect(heard).toEqual(['a', 'b'])
  })
})

describe('results', () => {
  test('T1 have status, data, text, stats and context, and no error', async () => {
    const { path, run } = runnerOf()
    expect(await run('Echo', { text: 'hello' })).toEqual({
      status: 'success',
      data: { text: 'hello' },
      text: 'hello',
      stats: { time_ms: expect.any(Number), letters: 5 },
      context: { cwd: path, params_input: { text: 'hello' } },
    })
  })

  test('T1 of a failure have an error, and the message as text', async () => {
    const { path, run } = runnerOf()
    const message = expect.stringMatching(/^text: /)
    expect(await run('Echo', { text: 1 })).toEqual({
      status: 'error',
      data: {},
      text: message,
      error: { code: 'INVALID_PARAM', message },
      stats: { time_ms: expect.any(Number) },
      context: { cwd: path, params_input: { text: 1 } },
    })
  })

  test('T1 name the argument that is wrong, missing or unknown', async () => {
    const { run } = runnerOf({ tools: builtInTools() })
    const message = async (args: object) => (await run('LS', args)).text
    expect(await message({ limit: 0 })).toMatch(/^limit: /)
    expect(await message({ ignore: ['a', 1] })).toMatch(/^ignore\.1: /)
    expect(await message({ url: '.' })).toMatch(/"url"/)
    expect(await message({ offset: -1, include_hidden: 'yes' })).toMatch(/^offset: .*; include_hidden: /)
    expect((await run('Read', {})).text).toMatch(/^path: /)
  })

  test('T1 of a tool that throws are internal errors, never exceptions', async () => {
    const broken = defineTool({
      ...echo,
      parameters: object({}),
      run: () => Promise.reject(new Error('out of paper')),
    })
    const unloadable = {
      ...echo,
      name: 'Unloadable',
      load: () => Promise.reject(new Error('no such module')),
    }
    const { run } = runnerOf({ tools: [broken, unloadable] })
    expect(await run('Echo')).toMatchObject({ error: { code: 'INTERNAL_ERROR', message: 'out of paper' } })
    expect(await run('Unloadable')).toMatchObject({
      error: { code: 'INTERNAL_ERROR', message: 'no such module' },
    })
  })
})

describe('names', () => {
  test.for([
    ['lss', 'did you mean LS?'],
    ['Raed', 'did you mean Read?'],
    ['Frobnicate', 'the tools are: LS, Glob, Grep, Read'],
    ['Reat', 'did you mean Read?'],
    ['Reads', 'did you mean Read?'],
    ['__proto__', 'the tools are: LS, Glob, Grep, Read'],
    ['toString', 'the tools are: LS, Glob, Grep, Read'],
  ])('T1 an unknown tool names the nearest one: %s', async ([name, hint]) => {
    const { run, runner } = runnerOf({ tools: builtInTools() })
    expect(runner.effectOf(name ?? '')).toBeUndefined()
    expect(await run(name ?? '')).toMatchObject({
      error: { code: 'NOT_FOUND', message: expect.stringContaining(hint ?? '') },
    })
  })

  test('T1 an endless name takes no time and is not repeated in full', async () => {
    const { run } = runnerOf({ tools: builtInTools() })
    const { text } = await run('x'.repeat(1_000_000))
    expect(text).toMatch(/^there is no tool named x{64}…; the tools are: LS, Glob, Grep, Read, /)
  })

  test('T1 the runner knows effects and prompts without loading a tool', () => {
    const load = () => expect.fail('loaded')
    const { runner } = runnerOf({ tools: builtInTools().map((tool) => ({ ...tool, load })) })
    expect([runner.effectOf('LS'), runner.effectOf('Read')]).toEqual(['read', 'read'])
    expect(runner.prompt).toMatch(/^LS: .*\n\nRead: /s)
  })
})

describe('permission', () => {
  test('A8 a tool that can change something fails closed', async () => {
    const { run, runner } = runnerOf()
    expect(runner.effectOf('Wipe')).toBe('write')
    expect(await run('Wipe')).toMatchObject({
      status: 'error',
      data: {},
      error: { code: 'PERMISSION_DENIED' },
    })
  })

  test('A8 the host decides about each call, including calls that only read', async () => {
    const asked: string[] = []
    const { run } = runnerOf({
      permit: ({ call, effect }) =>
        asked.push(`${call.name} ${effect}`) % 2 === 0
          ? { granted: true }
          : { granted: false, reason: 'not today' },
    })
    expect(await run('Wipe')).toMatchObject({
      error: { code: 'PERMISSION_DENIED', message: 'Wipe can write and was not permitted: not today' },
    })
    expect(await run('Wipe')).toMatchObject({ status: 'success', text: 'wiped' })
    expect(await run('Echo', { text: 'x' })).toMatchObject({
      error: { code: 'PERMISSION_DENIED', message: 'Echo can read and was not permitted: not today' },
    })
    expect(await run('Echo', { text: 'x' })).toMatchObject({ status: 'success' })
    expect(asked).toEqual(['Wipe write', 'Wipe write', 'Echo read', 'Echo read'])
  })

  test('A8 the time of a call does not include the time that a person takes to answer', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const permit = async () => {
      vi.advanceTimersByTime(60_000)
      return { granted: true } as const
    }
    const { stats } = await runnerOf({ permit }).run('Wipe')
    expect(stats.time_ms).toBe(0)
  })

  test('A8 if there is no gate, tools that only read run', async () => {
    expect(await runnerOf().run('Echo', { text: 'x' })).toMatchObject({ status: 'success' })
  })

  test('A8 a rule can deny tools that read, as a whole and by path', async () => {
    const folder = temporaryFolder({ 'secrets/key': 'k', 'src/a.txt': 'a', 'home/x': '' })
    const parse = (list: string) =>
      parsePermissionRules(list).flatMap((parsed) => (parsed.kind === 'rule' ? [parsed.rule] : []))
    const runWith = (deny: string) => {
      const { permit } = new PermissionGate({
        root: folder.path,
        home: folder.at('home'),
        configFolder: folder.at('home/.config/mutsumi'),
        rules: [{ allow: [], deny: parse(deny) }],
      })
      const runner = createToolRunner({
        workspace: new Workspace({ root: folder.path }),
        tools: builtInTools(),
        permit,
      })
      return async (name: string, args = {}) => {
        const result = await runner.run({ name, args }, { allowed: [folder.path] })
        return result.status === 'error' ? result.error.code : undefined
      }
    }
    const byPath = runWith('Read(secrets/**),Skill(deploy)')
    expect(await byPath('Read', { path: 'secrets/key' })).toBe('PERMISSION_DENIED')
    expect(await byPath('Grep', { pattern: 'k' })).toBe('PERMISSION_DENIED')
    expect(await byPath('LS', { path: 'secrets' })).toBe('PERMISSION_DENIED')
    expect(await byPath('Glob', { pattern: '*', path: 'secrets' })).toBe('PERMISSION_DENIED')
    expect(await byPath('Skill', { name: 'deploy' })).toBe('PERMISSION_DENIED')
    expect(await byPath('Skill', { name: 'other' })).toBe('NOT_FOUND')
    expect(await byPath('Read', { path: 'src/a.txt' })).toBeUndefined()
    expect(await byPath('Grep', { pattern: 'a', path: 'src' })).toBeUndefined()
    const whole = runWith('Read,Recall')
    expect(await whole('Read', { path: 'src/a.txt' })).toBe('PERMISSION_DENIED')
    expect(await whole('Recall', { id: 'x' })).toBe('PERMISSION_DENIED')
    expect(await whole('LS')).toBeUndefined()
  })
})

describe('cancelling', () => {
  test('T1 before the call, nothing runs', async () => {
    const { run } = runnerOf({ tools: [{ ...wipe, effect: 'read', call: () => expect.fail('ran') }] })
    const result = await run('Wipe', {}, AbortSignal.abort())
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'EXECUTION_ERROR', message: 'cancelled' },
    })
  })

  test('T1 during the call, the answer does not wait for a tool that never ends', async () => {
    const endless = defineTool({ ...echo, parameters: object({}), run: () => new Promise(() => undefined) })
    const { run } = runnerOf({ tools: [endless] })
    const controller = new AbortController()
    const result = run('Echo', {}, controller.signal)
    setTimeout(() => controller.abort(), 20)
    expect(await result).toMatchObject({ error: { code: 'EXECUTION_ERROR', message: 'cancelled' } })
  })

  test('T1 while a question to the user is open, nothing runs', async () => {
    const controller = new AbortController()
    const permit = () => {
      controller.abort()
      return { granted: true } as const
    }
    const { run } = runnerOf({ tools: [{ ...wipe, call: () => expect.fail('ran') }], permit })
    expect(await run('Wipe', {}, controller.signal)).toMatchObject({ error: { message: 'cancelled' } })
  })

  test('T1 a call that ends by itself is not cancelled', async () => {
    const { run } = runnerOf()
    expect(await run('Echo', { text: 'x' }, new AbortController().signal)).toMatchObject({
      status: 'success',
    })
  })
})
