import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeRepository } from '../../../tools/test/support/git-folder.js'
import { action, finish, told, UndoWorld } from './undo-world.js'

const bash = (command: string) => action('Bash', { command })

describe('undo of commands', () => {
  it('H1 files that a command changed, made and deleted are restored, and redo changes them again', async () => {
    const world = new UndoWorld({
      'a.ts': 'one\n',
      'b.ts': 'b\n',
      'run.sh': 'echo\n',
      '.gitignore': 'dist/\n',
      'dist/out.js': 'out\n',
    })
    makeRepository(world.root, ['a.ts', 'b.ts', 'run.sh'])
    world.write('b.ts', 'not committed\n')
    await world.ask('go', [
      bash(
        'echo two > a.ts; rm b.ts; mkdir -p new/x && echo n > new/x/n.ts; chmod +x run.sh; echo > dist/out.js',
      ),
      finish('done'),
    ])
    const plan = await world.plan()
    expect(plan.files.map(told)).toEqual([
      'restore change a.ts +1 -1',
      'restore create b.ts +1 -0',
      'restore delete new/x/n.ts +0 -1',
      'restore change run.sh +0 -0',
    ])
    expect(plan.unknown.commands).toBe(1)
    await world.undo()
    expect(['a.ts', 'b.ts', 'new/x/n.ts'].map((name) => world.read(name))).toEqual([
      'one\n',
      'not committed\n',
      undefined,
    ])
    expect(() => statSync(join(world.root, 'new'))).toThrow('ENOENT')
    expect(statSync(join(world.root, 'run.sh')).mode & 0o111).toBe(0)
    expect(world.read('dist/out.js')).toBe('\n')
    await world.redo()
    expect(['a.ts', 'b.ts', 'new/x/n.ts'].map((name) => world.read(name))).toEqual([
      'two\n',
      undefined,
      'n\n',
    ])
    expect(statSync(join(world.root, 'run.sh')).mode & 0o111).not.toBe(0)
  })

  it('H1 outside of a repository too, after an edit by a tool, and with a person’s edit since', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\n', 'b.ts': 'one\n' })
    chmodSync(join(world.root, 'a.ts'), 0o600)
    await world.ask('go', [
      action('Read', { path: 'a.ts' }),
      action('Edit', { path: 'a.ts', old_string: 'one', new_string: 'two' }),
      bash('echo three > a.ts; echo three > b.ts'),
      finish('done'),
    ])
    world.write('b.ts', 'mine\n')
    expect(await world.undo()).toEqual([
      'restore change a.ts +1 -1, done',
      'edited change b.ts +1 -1, not done',
    ])
    expect([world.read('a.ts'), world.read('b.ts')]).toEqual(['one\n', 'mine\n'])
    expect(statSync(join(world.root, 'a.ts')).mode & 0o777).toBe(0o600)
  })

  it('H1 a command that only reads leaves no record, and a file that was too large is reported as lost', async () => {
    const world = new UndoWorld({ 'big.txt': 'x'.repeat(3_000_000) })
    await world.ask('look', [bash('ls; cat big.txt | wc -c'), finish('ok')])
    expect((await world.session()).facts.changes).toEqual([])
    expect((await world.plan()).unknown.commands).toBe(0)
    const requests = await world.ask('go', [bash('echo small > big.txt'), finish('ok')])
    expect(requests.at(-1)).toContain('undo cannot bring this back')
    expect(await world.undo()).toEqual(['lost change big.txt +0 -0, not done'])
    expect(world.read('big.txt')).toBe('small\n')
  })

  it('H1 for a change in a protected place, a note says that undo cannot restore it', async () => {
    const world = new UndoWorld()
    const write = action('Write', { path: '.vscode/settings.json', content: '{}' })
    const requests = await world.ask('go', [write, finish('ok')])
    expect(requests.at(-1)).toContain('undo cannot bring this back')
    expect(await world.undo()).toEqual([
      'refused change .vscode/settings.json +0 -0, not done: is in a protected place',
    ])
    expect(world.read('.vscode/settings.json')).toBe('{}')
  })
})
