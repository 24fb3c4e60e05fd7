import { readFileSync } from 'node:fs'
import { canonicalJson, isJsonObject, type JsonObject } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import {
  builtInTools,
  createToolRunner,
  type LazyTool,
  type PermissionRequest,
  type Tool,
  Workspace,
} from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Calls as other agents' models write them, and ours. */
const calls: readonly (readonly [name: string, args: JsonObject, ours: string, canonical: JsonObject])[] = [
  ['Read', { file_path: 'a.ts', offset: 10, limit: 5 }, 'Read', { path: 'a.ts', start_line: 10, limit: 5 }],
  [
    'Read',
    { filePath: 'a.ts', offset: '0', limit: '9999' },
    'Read',
    { path: 'a.ts', start_line: 1, limit: 2000 },
  ],
  [
    'read_file',
    { target_file: 'a', start_line: 3, end_line: 7 },
    'Read',
    { path: 'a', start_line: 3, limit: 5 },
  ],
  ['view', { path: 'a.ts', view_range: [2, 4] }, 'Read', { path: 'a.ts', start_line: 2, limit: 3 }],
  ['view', { path: 'a.ts', view_range: [2, -1] }, 'Read', { path: 'a.ts', start_line: 2 }],
  ['str_replace_editor', { command: 'view', path: 'a.ts' }, 'Read', { path: 'a.ts' }],
  [
    'str_replace_based_edit_tool',
    { command: 'str_replace', path: 'a', old_str: 'x', new_str: '' },
    'Edit',
    { path: 'a', old_string: 'x', new_string: '' },
  ],
  ['text_editor', { command: 'create', path: 'a', file_text: '' }, 'Write', { path: 'a', content: '' }],
  [
    'Edit',
    { filePath: 'a', oldString: 'x', newString: 'y', replaceAll: 'true' },
    'Edit',
    { path: 'a', old_string: 'x', new_string: 'y', replace_all: true },
  ],
  [
    'edit',
    { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] },
    'MultiEdit',
    { path: 'a', edits: [{ old_string: 'x', new_string: 'y' }] },
  ],
  [
    'MultiEdit',
    { file_path: 'a', edits: '[{"old_string":"x","new_string":"y"}]' },
    'MultiEdit',
    { path: 'a', edits: [{ old_string: 'x', new_string: 'y' }] },
  ],
  [
    'Grep',
    { pattern: 'x', glob: '*.ts', '-i': true, '-A': 2, '-B': '3', head_limit: 0 },
    'Grep',
    { pattern: 'x', include: '*.ts', case_sensitive: false, context_lines: 3 },
  ],
  ['Grep', { pattern: 'x', type: 'rust', path: '' }, 'Grep', { pattern: 'x', include: '*.{rs,rlib}' }],
  ['grep_search', { query: 'x', '-C': 1 }, 'Grep', { pattern: 'x', context_lines: 1 }],
  ['LS', { dir_path: 'src', ignore: 'dist' }, 'LS', { path: 'src', ignore: ['dist'] }],
  ['glob', { pattern: '*', respect_git_ignore: false }, 'Glob', { pattern: '*', include_ignored: true }],
  ['Bash', { command: 'ls', timeout: 120000 }, 'Bash', { command: 'ls', timeout_ms: 120_000 }],
  [
    'shell',
    { command: ['bash', '-lc', 'npm test'], workdir: 'a' },
    'Bash',
    { command: 'npm test', directory: 'a' },
  ],
  ['exec_command', { cmd: 'ls', timeout: 30 }, 'Bash', { command: 'ls', timeout_ms: 30_000 }],
  ['Bash', { command: ['echo', 'a b', '$x'] }, 'Bash', { command: "echo 'a b' '$x'" }],
  ['Bash', { command: 'ls', directory: null, timeout_ms: '5' }, 'Bash', { command: 'ls', timeout_ms: 5 }],
  [
    'update_plan',
    { explanation: 'why', plan: [{ step: 'a', status: 'in-progress' }, 'b'] },
    'TodoWrite',
    {
      summary: 'why',
      todos: [
        { content: 'a', status: 'in_progress' },
        { content: 'b', status: 'pending' },
      ],
    },
  ],
  ['Recall', { observation_id: 'ab', offset: 3 }, 'Recall', { id: 'ab', start_line: 3 }],
  ['Skill', { skill: 'x', params: '{"a":"b"}' }, 'Skill', { name: 'x', params: { a: 'b' } }],
]

/** A runner that notes what the gate saw, and what was then called. */
function watched(files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  folder.write(files)
  const [judged, ran]: [PermissionRequest[], JsonObject[]] = [[], []]
  const tools = builtInTools().map(
    (tool): LazyTool => ({ ...tool, load: async () => noting(await tool.load()) }),
  )
  const noting = (tool: Tool): Tool => ({
    ...tool,
    call(args, context) {
      if (tool.touches(args) !== undefined) ran.push(args)
      return tool.name === 'Bash'
        ? Promise.resolve({ status: 'success', data: {}, text: '' })
        : tool.call(args, context)
    },
  })
  const permit = (request: PermissionRequest) => {
    judged.push(request)
    return { granted: true } as const
  }
  const runner = createToolRunner({ workspace: new Workspace({ root: folder.path }), tools, permit })
  const run = (name: string, args: JsonObject) => runner.run({ name, args }, { allowed: [folder.path] })
  return { folder, runner, run, judged, ran, tools }
}

describe('calls as other agents’ models write them', () => {
  test('T1 names and values of other agents are read as ours, before anything else sees them', () => {
    const { runner } = watched()
    for (const [name, args, ours, canonical] of calls) {
      const call = runner.canonical({ name, args })
      expect(call, JSON.stringify(args)).toEqual({ name: ours, args: canonical })
      expect(runner.canonical(call)).toEqual(call)
    }
  })

  test('T1 arguments that change nothing here are ignored, and the result says so', async () => {
    const { run, judged } = watched({ 'a.ts': 'one\n' })
    const ignored = async (name: string, args: JsonObject) => {
      const { status, data, text } = await run(name, args)
      expect(status, text).toMatch(/success|partial/)
      return (data.notes as string[]).at(-1)
    }
    expect(await ignored('Bash', { command: 'ls', description: 'lists', run_in_background: true })).toBe(
      'ignored: description, run_in_background',
    )
    expect(await ignored('Grep', { pattern: 'one', output_mode: 'content', '-n': true })).toBe(
      'ignored: output_mode, -n',
    )
    const todos = [{ content: 'a', activeForm: 'doing a', status: 'done', id: '1', priority: 'high' }]
    expect(await ignored('TodoWrite', { todos: JSON.stringify(todos) })).toBe(
      'ignored: todos.activeForm, todos.id, todos.priority',
    )
    expect(judged[0]?.call.args).toEqual({ command: 'ls' })
    // The record keeps what the model wrote, and the sandbox is not the model's to choose.
    const result = await run('Bash', { command: 'ls', dangerouslyDisableSandbox: true })
    expect(result.context.params_input).toEqual({ command: 'ls', dangerouslyDisableSandbox: true })
    expect(judged.at(-1)?.call.args).toEqual({ command: 'ls' })
  })

  test('T1 two names of one argument that differ are refused and never run', async () => {
    const { run, judged, folder } = watched({ 'a.ts': 'text', 'b.ts': 'text' })
    const result = await run('Write', { path: 'new.ts', file_path: 'other.ts', content: 'x' })
    expect(result).toMatchObject({
      error: {
        code: 'INVALID_PARAM',
        message: 'path and file_path mean the same but differ; give only path',
      },
    })
    expect((await run('read_file', { uri: 'a.ts', filePath: 'b.ts' })).status).toBe('error')
    expect((await run('read_file', { uri: 'a.ts', filePath: 'a.ts' })).status).toBe('success')
    expect(judged.map(({ call }) => call.args)).toEqual([{ path: 'a.ts' }])
    expect(() => readFileSync(folder.at('new.ts'))).toThrow()
  })

  test('T1 a name that a server or a program gave its own tool is not ours', async () => {
    const own: Tool = {
      ...(await builtInTools()[0]?.load()),
      name: 'run',
      touches: () => ({}),
      call: async () => ({ status: 'success', data: {}, text: 'mine' }),
    } as Tool
    const folder = temporaryFolder()
    const runner = createToolRunner({
      workspace: new Workspace({ root: folder.path }),
      tools: [...builtInTools(), own],
    })
    expect((await runner.run({ name: 'run', args: {} }, { allowed: [folder.path] })).text).toBe('mine')
  })

  test('T1 A8 whatever the arguments are, the gate saw what ran', async () => {
    const { runner, run, judged, ran, tools } = watched({ 'a.ts': 'one\ntwo\n', 'b/c.ts': 'one\n' })
    const names = [...new Set(calls.flatMap(([name, , ours]) => [name, ours]))]
    const words = tools.flatMap(({ foreign }) => [
      ...Object.entries(foreign?.names ?? {}).flat(2),
      ...(foreign?.ignored ?? []),
    ])
    const keys = [
      ...new Set([...calls.flatMap(([, args, , ours]) => Object.keys({ ...args, ...ours })), ...words]),
    ]
    const value = fc.oneof(
      fc.constantFrom(
        'a.ts',
        'b',
        '/etc/passwd',
        '10',
        'true',
        '',
        null,
        0,
        3,
        true,
        'one',
        '[{"path":"b"}]',
      ),
      fc.jsonValue({ maxDepth: 2 }),
    )
    const strange = fc.dictionary(fc.constantFrom(...keys, '__proto__', 'constructor'), value, { maxKeys: 5 })
    const likely = fc.constantFrom(...calls.map(([, args]) => args))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), likely, strange, async (name, some, more) => {
        judged.length = 0
        ran.length = 0
        const args = JSON.parse(JSON.stringify({ ...some, ...more })) as JsonObject
        const call = runner.canonical({ name, args })
        expect(runner.canonical(call)).toEqual(call)
        await run(name, args)
        expect(ran.map(canonicalJson)).toEqual(judged.map((request) => canonicalJson(request.call.args)))
        for (const { call, touched } of judged) {
          const { path, command } = call.args
          if (isJsonObject(touched) && command !== undefined) expect(touched.command).toBe(command)
          else if (path !== undefined) expect(touched.paths).toEqual([path])
        }
      }),
      { numRuns: runs(300) },
    )
  })
})
