import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../support/command.js'
import { action, finish, scripted } from '../support/scripted.js'

const write = action('Write', { path: 'a.txt', content: 'new' })
const plan = finish('I would write it.\n\n# Plan\n1. Write a.txt\n2. Read it')

/** A run whose model writes a file, then answers. */
function writing(answer = finish('done')) {
  return scripted([write, answer, write, answer])
}

test('P2 --mode edits lets a run change files, and plan mode refuses what a rule allows without failing', async () => {
  const asked = writing()
  expect((await run(asked.folder, ['-p', 'write', ...asked.flags])).code).toBe(3)
  expect(existsSync(join(asked.folder, 'a.txt'))).toBe(false)

  const edits = writing()
  expect((await run(edits.folder, ['-p', 'write', ...edits.flags, '--mode', 'edits'])).code).toBe(0)
  expect(readFileSync(join(edits.folder, 'a.txt'), 'utf8')).toBe('new')

  const planned = writing(plan)
  const { code, stdout } = await run(planned.folder, [
    ...['-p', 'write', ...planned.flags, '--mode', 'plan', '--allow', 'Write', '--session', 's.mtm'],
  ])
  expect([code, stdout]).toEqual([0, expect.stringContaining('# Plan\n1. Write a.txt')])
  expect(existsSync(join(planned.folder, 'a.txt'))).toBe(false)

  const auto = writing()
  const open = await run(auto.folder, ['-p', 'write', ...auto.flags, '--mode', 'auto', '--sandbox', 'off'])
  expect([open.code, open.stderr]).toEqual([0, expect.stringContaining('the same as --mode edits')])

  const unknown = await run(asked.folder, ['-p', 'x', '--mode', 'all'])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('plan or ask or edits or auto')])
})

test('P2 neither a project nor a session widens the mode, and a session keeps plan mode', async () => {
  const project = writing()
  mkdirSync(join(project.folder, '.mutsumi'))
  writeFileSync(join(project.folder, '.mutsumi/config.json'), '{"mode":"auto"}')
  expect((await run(project.folder, ['-p', 'write', ...project.flags, '--trust'])).code).toBe(3)

  const session = ['--session', 's.mtm']
  const told = scripted([finish('hello')])
  const { folder } = writing()
  const again = ['--model', `scripted:${join(folder, 'script.jsonl')}`]
  expect((await run(folder, ['-p', 'hi', ...told.flags, ...session, '--mode', 'auto'])).code).toBe(0)
  expect((await run(folder, ['-p', 'write', ...again, ...session])).code).toBe(3)

  const env = { MUTSUMI_MODE: 'edits' }
  expect((await run(folder, ['-p', 'hi', ...told.flags, ...session, '--mode', 'plan'])).code).toBe(0)
  expect((await run(folder, ['-p', 'write', ...again, ...session], { env })).code).toBe(0)
  expect(existsSync(join(folder, 'a.txt'))).toBe(false)
})

test('P3 a task of fifteen commands that read asks nothing, and a command that writes is refused', async () => {
  const commands = [
    ...['ls -la', 'cat package.json', 'head -5 README.md', 'wc -l src/*.js', 'grep -rn foo src | head -3'],
    ...[
      "find . -name '*.js'",
      'cd src && ls',
      'tail -2 README.md',
      "sed -n '1,2p' README.md",
      'sort README.md | uniq -c',
    ],
    ...[
      'cat src/a.js 2>/dev/null || echo none',
      'pwd',
      'ls src; echo $?',
      "awk '{print $1}' README.md",
      'git status',
    ],
  ]
  const task = scripted(
    [
      ...commands.map((command) => action('Bash', { command })),
      finish('done'),
      action('Bash', { command: 'ls > x' }),
      finish(''),
    ],
    { 'package.json': '{}', 'README.md': 'one\ntwo\n', 'src/a.js': 'foo' },
  )
  const { code, stderr } = await run(task.folder, ['-p', 'look', ...task.flags, '--max-steps', '20'])
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('not permitted')])
})
