import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { finish, scripted } from '../support/scripted.js'

const ignoring = '.mutsumi/sessions/.gitignore'
const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')

test.each([
  ['a new session', ['-p', 'x']],
  ['a named one in their folder', ['-p', 'x', '--session', '.mutsumi/sessions/talk.mtm']],
])('N1 the sessions of a workspace are kept out of git from the first one on: %s', async (_, args) => {
  const { folder, flags } = scripted([finish('ok')])
  expect((await run(folder, [...args, ...flags])).code).toBe(0)
  expect(read(folder, ignoring)).toBe('*\n')
})

test('N1 git sees the rules of a project, and none of its sessions', async () => {
  const { folder, flags } = scripted([finish('ok')])
  execFileSync('git', ['init', '-q', folder])
  await run(folder, ['rules', 'init'])
  await run(folder, ['-p', 'x', ...flags])
  const status = execFileSync('git', ['-C', folder, 'status', '--porcelain', '-uall'], { encoding: 'utf8' })
  expect(status.split('\n').sort()).toEqual(['', '?? .mutsumi/rules/default.md', '?? script.jsonl'])
})

test('N1 the user’s own .gitignore stays, and a deleted one is not created again', async () => {
  const { folder, flags } = scripted([finish('ok'), finish('ok')], { [ignoring]: '!*.mtm\n' })
  await run(folder, ['-p', 'x', ...flags])
  expect(read(folder, ignoring)).toBe('!*.mtm\n')
  rmSync(join(folder, ignoring))
  await run(folder, ['-p', 'y', ...flags])
  expect(() => read(folder, ignoring)).toThrow(/ENOENT/)
})

test('N1 A8 nothing is written through a link instead of the .gitignore', async () => {
  const { folder, flags } = scripted([finish('ok')])
  const outside = join(makeFolder(), 'outside.txt')
  writeFileSync(outside, 'mine')
  mkdirSync(join(folder, '.mutsumi/sessions'), { recursive: true })
  symlinkSync(outside, join(folder, ignoring))
  await run(folder, ['-p', 'x', ...flags])
  expect(readFileSync(outside, 'utf8')).toBe('mine')
})

test('N1 a session elsewhere gets no .gitignore: its place is the user’s choice', async () => {
  const { folder, flags } = scripted([finish('ok')])
  await run(folder, ['-p', 'x', '--session', 'talks/sessions/a.mtm', ...flags])
  expect(() => read(folder, 'talks/sessions/.gitignore')).toThrow(/ENOENT/)
})
