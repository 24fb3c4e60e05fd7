import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyFolderOf } from '@mutsumi/tools/parts'
import { expect, test } from 'vitest'
import { run as runForReal } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { action, finish, scripted } from '../support/scripted.js'

/** A session of two rounds: the second one changed a file and made another. */
async function world() {
  const { folder, flags } = scripted(
    [
      action('Read', { path: 'a.ts' }),
      action('Edit', { path: 'a.ts', old_string: 'one', new_string: 'two' }),
      action('Write', { path: 'b.ts', content: 'b\n' }),
      finish('done'),
    ],
    { 'a.ts': 'one\n', 'hello.jsonl': JSON.stringify(finish('hello')) },
  )
  const asked = ['--session', './talk.mtm', '--allow', 'Edit,Write']
  await run(folder, ['-p', 'Hello?', ...asked, '--model', 'scripted:hello.jsonl'])
  await run(folder, ['-p', 'Change the file', ...asked, ...flags])
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const act = (...args: string[]) => run(folder, [...args, '--session', './talk.mtm'])
  return { folder, read, act }
}

test('H1 mutsumi undo shows what it would do, does it after a yes, and redo brings the round back', async () => {
  const { folder, read, act } = await world()
  expect(read('a.ts')).toBe('two\n')
  const preview = await act('undo', '--preview')
  expect(preview.stdout).toBe(
    `${[
      'This round would leave the view:\n  2  Change the file',
      'Files that would change:\n  change  +1  -1  a.ts\n  delete  +0  -1  b.ts',
    ].join('\n\n')}\n`,
  )
  const unasked = await act('undo')
  expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining('nothing was changed; --yes')])
  expect(read('a.ts')).toBe('two\n')
  const done = await act('undo', '--yes')
  expect(done.stdout).toContain('1 round is undone, 2 files changed.')
  expect(read('a.ts')).toBe('one\n')
  expect(() => read('b.ts')).toThrow('ENOENT')
  const { messages } = await runJson(folder, ['context', 'x', '--session', './talk.mtm'])
  expect(JSON.stringify(messages)).not.toContain('Change the file')
  const redone = JSON.parse((await act('redo', '--yes', '--json')).stdout)
  expect(redone).toMatchObject({
    kind: 'redo',
    rounds: [{ number: 2, prompt: 'Change the file' }],
    files: [
      { path: 'a.ts', effect: 'change', done: true },
      { path: 'b.ts', effect: 'create', done: true },
    ],
  })
  expect([read('a.ts'), read('b.ts')]).toEqual(['two\n', 'b\n'])
})

test('H1 mutsumi undo leaves later edits alone, and shows the difference', async () => {
  const { folder, read, act } = await world()
  writeFileSync(join(folder, 'a.ts'), 'two\nmine \u001b[31m\n')
  const { stdout } = await act('undo', '--rounds', '5', '--yes')
  expect(stdout).toContain('These rounds would leave the view:\n  1  Hello?\n  2  Change the file')
  expect(stdout).toContain('  a.ts: it was edited since, so it stays as it is')
  expect(stdout).toContain('-mine \\u001b[31m')
  expect(stdout).toContain('2 rounds are undone, 1 file changed, 1 not changed:')
  expect(read('a.ts')).toBe('two\nmine \u001b[31m\n')
})

test('H1 mutsumi diff shows what the agent changed, as a text or as JSON', async () => {
  const { folder, act } = await world()
  const { stdout } = await act('diff')
  expect(stdout).toContain('  change  +1  -1  a.ts\n  create  +1  -0  b.ts')
  expect(stdout).toContain('-one\n+two')
  const { files } = await runJson(folder, ['diff', '--session', './talk.mtm', '--round', '2'])
  expect(files).toMatchObject([{ path: 'a.ts', edited: false }, { path: 'b.ts' }])
  writeFileSync(join(folder, 'a.ts'), 'one\n')
  expect((await act('diff', '--round', '3')).stdout).toContain('No file differs')
})

test('H1 mutsumi undo and redo act on the newest session, and pins and drops are undone under items', async () => {
  const { folder, flags } = scripted([action('Write', { path: 'b.ts', content: 'b\n' }), finish('done')])
  await run(folder, ['-p', 'Make it', '--allow', 'Write', ...flags])
  expect((await run(folder, ['redo', '--yes'])).stderr).toContain('nothing was undone')
  expect((await run(folder, ['diff'])).stdout).toContain('create  +1  -0  b.ts')
  expect((await run(folder, ['undo', '--yes'])).stdout).toContain('1 round is undone, 1 file changed.')
  expect(existsSync(join(folder, 'b.ts'))).toBe(false)
  expect((await run(folder, ['sessions'])).stdout).toMatch(/ {2}Make it +0 /)
  expect((await run(folder, ['redo', '--yes'])).code).toBe(0)
  const item = (...args: string[]) => run(folder, ['items', ...args, '--session', 'make'])
  expect((await item('pin', 'b.ts')).code).toBe(0)
  expect((await item('undo')).stdout).toContain('b.ts')
  const none = await item('undo')
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no active pin or drop')])
})

test('H1 N3 killing a process in the middle of a command loses no earlier content', async () => {
  const { folder, flags } = scripted(
    [
      action('Read', { path: 'a.ts' }),
      action('Edit', { path: 'a.ts', old_string: 'one', new_string: 'two' }),
      action('Bash', { command: 'echo gone > b.ts; kill -9 $PPID' }),
    ],
    { 'a.ts': 'one\n', 'b.ts': 'what was here\n' },
  )
  const allowed = ['--allow', 'Edit,Bash', '--sandbox', 'off']
  const killed = await runForReal(folder, ['-p', 'Go', '--session', './talk.mtm', ...allowed, ...flags])
  expect([killed.code, readFileSync(join(folder, 'b.ts'), 'utf8')]).toEqual([null, 'gone\n'])
  const { stdout } = await run(folder, ['undo', '--yes', '--session', './talk.mtm'])
  expect(stdout).toContain('  change  +1  -1  a.ts')
  expect(stdout).toContain('  b.ts: it was edited since, so it stays as it is')
  expect(stdout).toContain('-gone\n+what was here')
  expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe('one\n')
  const redone = await run(folder, ['redo', '--yes', '--session', './talk.mtm'])
  expect([redone.code, readFileSync(join(folder, 'a.ts'), 'utf8')]).toEqual([0, 'two\n'])
})

test('Z4 a fork keeps what undo needs, and deleting the original deletes only its own copies', async () => {
  const { folder, read, act } = await world()
  const { path, id } = await runJson(folder, ['fork', 'talk.mtm'])
  const { id: original } = JSON.parse(readFileSync(join(folder, 'talk.mtm'), 'utf8').split('\n')[0] ?? '')
  expect(existsSync(copyFolderOf(original))).toBe(true)
  const { stdout } = await run(folder, ['sessions', 'delete', 'talk.mtm'])
  expect(stdout).toContain('The contents of files that undo kept for it are deleted.')
  expect([existsSync(copyFolderOf(original)), existsSync(copyFolderOf(id))]).toEqual([false, true])
  const undone = await run(folder, ['undo', '--yes', '--session', path])
  expect([undone.code, read('a.ts')]).toEqual([0, 'one\n'])
  const restore = /sessions restore (.*)/.exec(stdout)?.[1] ?? ''
  await run(folder, ['sessions', 'restore', restore])
  writeFileSync(join(folder, 'a.ts'), 'two\n')
  expect((await act('undo', '--preview')).stdout).toContain(
    'a.ts: its earlier content is not on this machine',
  )
})

test('Z4 a copy of a session file beside it keeps the copies when the other is deleted', async () => {
  const { folder, read } = await world()
  copyFileSync(join(folder, 'talk.mtm'), join(folder, 'twin.mtm'))
  expect((await run(folder, ['sessions', 'delete', 'talk.mtm'])).stdout).not.toContain('are deleted')
  const undone = await run(folder, ['undo', '--yes', '--session', './twin.mtm'])
  expect([undone.code, read('a.ts')]).toEqual([0, 'one\n'])
})
