import type { PermissionMode } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import {
  type PermissionAnswer,
  PermissionGate,
  type PermissionQuestion,
} from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function rulesOf(list: string) {
  return parsePermissionRules(list).flatMap((parsed) => (parsed.kind === 'rule' ? [parsed.rule] : []))
}

function gateIn(mode: PermissionMode, { allow = '', deny = '' } = {}) {
  const folder = temporaryFolder({ 'ws/src/a.ts': '', 'ws/keys/k': '' })
  folder.link('ws/away', '/tmp')
  const root = folder.at('ws')
  const questions: PermissionQuestion[] = []
  const gate = new PermissionGate({
    ...{ root, mode, home: folder.at('home'), configFolder: folder.at('home/.config/mutsumi') },
    rules: [{ allow: rulesOf(allow), deny: rulesOf(deny) }],
    ask: async (question) => {
      questions.push(question)
      return 'no'
    },
  })
  const asked = async (act: Parameters<typeof gate.permit>[0]) => {
    questions.length = 0
    const permission = await gate.permit(act)
    if (permission.granted) return 'runs'
    return questions.length > 0 ? 'asks' : permission.reason
  }
  return {
    gate,
    tool: (name: string, path: string) =>
      asked({ call: { name, args: {} }, effect: 'write', touched: { paths: [path] }, allowed: [root] }),
    bash: (command: string, confined = true) =>
      asked({
        call: { name: 'Bash', args: { command } },
        effect: 'execute',
        touched: { command, confined },
        allowed: [root],
      }),
    server: () =>
      asked({ call: { name: 'mcp__a__b', args: {} }, effect: 'execute', touched: {}, allowed: [root] }),
    read: (path: string) =>
      asked({
        call: { name: 'Read', args: {} },
        effect: 'read',
        touched: { paths: [path] },
        allowed: [root],
      }),
  }
}

const planned = expect.stringContaining('plan mode is on')

describe('P2 modes', () => {
  test('P2 ask: only reading runs without a question', async () => {
    const { tool, bash, server, read } = gateIn('ask')
    expect(await Promise.all([tool('Edit', 'src/a.ts'), bash('make'), server()])).toEqual([
      'asks',
      'asks',
      'asks',
    ])
    expect([await read('src/a.ts'), await bash('cat src/a.ts')]).toEqual(['runs', 'runs'])
  })

  test('P2 edits: changes of files in the workspace run, and nothing else', async () => {
    const { tool, bash, server } = gateIn('edits', { deny: 'Edit(keys/**)' })
    expect([
      await tool('Edit', 'src/a.ts'),
      await tool('Write', 'new/b.ts'),
      await tool('MultiEdit', 'src/a.ts'),
    ]).toEqual(['runs', 'runs', 'runs'])
    expect(await bash('echo x > src/b.ts')).toBe('runs')
    expect([await bash('make'), await server()]).toEqual(['asks', 'asks'])
    for (const path of [
      '../x',
      '/etc/x',
      'away/x',
      '.git/hooks/x',
      '.vscode/tasks.json',
      '.mutsumi/config.json',
      'AGENTS.md',
      'chat.mtm',
    ])
      expect(await tool('Write', path), path).toBe('asks')
    expect(await tool('Write', 'keys/k')).toContain('the rule Edit(keys/**) denies it')
  })

  test('P2 auto: commands that a sandbox confines run too; without one it is edits', async () => {
    const { tool, bash, server } = gateIn('auto')
    expect([await tool('Edit', 'src/a.ts'), await bash('make'), await bash('npm test && make')]).toEqual([
      'runs',
      'runs',
      'runs',
    ])
    expect([await tool('Edit', 'src/a.ts'), await bash('make', false), await server()]).toEqual([
      'runs',
      'asks',
      'asks',
    ])
    const guarded = gateIn('auto', { deny: 'Bash(git push:*)' })
    expect(await guarded.bash('git push')).toContain('denies it')
    expect(await guarded.bash('sh -c "git push"')).toBe('asks')
    expect(await bash('echo x > .git/hooks/y')).toBe('asks')
    expect(await bash('echo x > /etc/y')).toBe('runs')
  })

  test('P2 plan: nothing with effects runs, not even by rule, and nobody is asked', async () => {
    const { gate, tool, bash, server, read } = gateIn('plan', {
      allow: 'Edit,Bash,mcp__a,Write',
      deny: 'Bash(wc:*)',
    })
    expect([
      await tool('Edit', 'src/a.ts'),
      await bash('make'),
      await bash('cat a > b'),
      await server(),
    ]).toEqual([planned, planned, planned, planned])
    expect([await read('src/a.ts'), await bash('cat src/a.ts | head'), await bash('cat a', false)]).toEqual([
      'runs',
      'runs',
      'runs',
    ])
    expect(await bash('wc src/a.ts')).toContain('denies it')
    const places = [{ path: '/x/.git', files: [] }]
    const call = { name: 'Bash', args: {} }
    expect(await gate.permitLeft({ call, allowed: [], places })).toEqual([])
  })

  test('P2 a call is judged by the mode of its moment, also after it waited for another question', async () => {
    const { gate, tool, bash } = gateIn('ask')
    const waiting = Promise.all([bash('make'), tool('Edit', 'src/a.ts')])
    gate.mode = 'plan'
    expect((await waiting)[1]).toEqual(planned)
    gate.mode = 'edits'
    expect(await tool('Edit', 'src/a.ts')).toBe('runs')
  })

  test('P2 P1 a mode decides the open question: edits lets it run, plan refuses it, ask leaves it', async () => {
    const { gate, edit, answer, isSettled } = openQuestionIn('ask')
    const running = edit()
    gate.mode = 'auto'
    gate.mode = 'ask'
    gate.judgeOpenQuestion()
    expect(await isSettled()).toBe(false)
    gate.mode = 'edits'
    gate.judgeOpenQuestion()
    expect(await running).toMatchObject({ granted: true })
    expect(await isSettled()).toBe(true)
    gate.mode = 'ask'
    const refused = edit()
    expect(await isSettled()).toBe(false)
    gate.mode = 'plan'
    gate.judgeOpenQuestion()
    expect(await refused).toMatchObject({ granted: false, reason: planned })
    answer('always')
    expect(gate.sessionRules).toEqual([])
  })

  test.each(['once', 'session', 'always'] as const)(
    'P2 P1 a yes (%s) that comes in plan mode runs nothing and adds no rule',
    async (yes) => {
      const { gate, edit, answer, isSettled } = openQuestionIn('ask')
      const asked = edit()
      await isSettled()
      gate.mode = 'plan'
      answer(yes)
      expect(await asked).toMatchObject({ granted: false, reason: planned })
      expect(gate.sessionRules).toEqual([])
    },
  )
})

/** A gate with a user who takes their time. */
function openQuestionIn(mode: PermissionMode) {
  const root = temporaryFolder({ 'ws/a.ts': '' }).at('ws')
  let answer: (answer: PermissionAnswer) => void = () => undefined
  let settled: AbortSignal | undefined
  const gate = new PermissionGate({
    ...{ root, mode, home: root, configFolder: `${root}/config` },
    ask: (_, signal) => {
      settled = signal
      return new Promise((resolve) => {
        answer = resolve
      })
    },
  })
  return {
    gate,
    edit: () =>
      gate.permit({
        ...{ call: { name: 'Edit', args: {} }, effect: 'write', allowed: [root] },
        touched: { paths: ['a.ts'] },
      }),
    answer: (given: PermissionAnswer) => answer(given),
    isSettled: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return settled?.aborted
    },
  }
}
