import { describe, expect, test } from 'vitest'
import {
  builtInTools,
  createToolRunner,
  PermissionGate,
  parsePermissionRules,
  Workspace,
} from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function runnerIn(files: Readonly<Record<string, string>>, rules = { allow: '', deny: '' }) {
  const folder = temporaryFolder()
  folder.write(files)
  const workspace = new Workspace({ root: folder.path })
  const ruleSet = { allow: parsed(rules.allow), deny: parsed(rules.deny) }
  const gate = new PermissionGate({ root: folder.path, rules: [ruleSet], configFolder: '/nowhere' })
  const runner = createToolRunner({ workspace, tools: builtInTools(), permit: gate.permit })
  return {
    runner,
    run: (name: string, args: object) => runner.run({ name, args: { ...args } }, { allowed: [folder.path] }),
  }
}

function parsed(list: string) {
  return parsePermissionRules(list).flatMap((rule) => (rule.kind === 'rule' ? [rule.rule] : []))
}

describe('other names of tools', () => {
  test('S8 the documents’ names and arguments work in any letter case', async () => {
    const { run } = runnerIn({ 'a.ts': 'text', 'src/b.ts': 'more' })
    for (const [name, args] of [
      ['read_file', { uri: 'a.ts' }],
      ['READ_FILE', { file_path: 'a.ts' }],
      ['readFile', { path: 'a.ts' }],
      ['read', { path: 'a.ts' }],
    ] as const)
      expect((await run(name, args)).data).toMatchObject({ path: 'a.ts', total_lines: 1 })
    expect((await run('ls', { uri: '.' })).data.total).toBe(2)
    expect((await run('glob', { pattern: '**/*.ts' })).data.total).toBe(2)
    expect((await run('grep', { pattern: 'more', uri: 'src' })).status).toBe('success')
  })

  test('S8 the result uses the tool’s own argument names', async () => {
    const { run } = runnerIn({ 'a.ts': 'text' })
    expect((await run('read_file', { uri: 'a.ts' })).context.params_input).toEqual({ path: 'a.ts' })
  })

  test('S8 two paths at once are refused, not guessed', async () => {
    const { run } = runnerIn({ 'a.ts': 'text', 'b.ts': 'text' })
    for (const args of [
      { path: 'a.ts', uri: 'b.ts' },
      { file_path: 'a.ts', uri: 'b.ts' },
    ])
      expect((await run('read_file', args)).status).toBe('error')
  })

  test('S8 A8 permissions judge the tool’s own name, and rules may use its other names too', async () => {
    const { runner, run } = runnerIn({ 'a.ts': 'text' })
    expect(['write_file', 'shell', 'BASH', 'edit_file'].map((name) => runner.effectOf(name))).toEqual([
      'write',
      'execute',
      'execute',
      'write',
    ])
    const denied = await run('write_file', { uri: 'new.ts', content: 'x' })
    expect(denied.status === 'error' && denied.error.code).toBe('PERMISSION_DENIED')
    const allowed = runnerIn({}, { allow: 'write_file', deny: '' })
    expect((await allowed.run('Write', { path: 'new.ts', content: 'x' })).status).toBe('success')
    const forbidden = runnerIn({ 'a.ts': 'text' }, { allow: '', deny: 'read_file(a.ts)' })
    expect((await forbidden.run('Read', { path: 'a.ts' })).status).toBe('error')
  })

  test('S8 a name that is not an alias stays unknown, and the nearest tool is named', async () => {
    const { run } = runnerIn({})
    const result = await run('reed', {})
    expect(result.text).toBe('there is no tool named reed; did you mean Read?')
  })
})
