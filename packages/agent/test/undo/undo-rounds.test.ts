import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '@mutsumi/session/node'
import { Workspace } from '@mutsumi/tools'
import { removeCopies } from '@mutsumi/tools/parts'
import { describe, expect, it } from 'vitest'
import { finishUndos } from '../../src/finish-undos.js'
import { openUndoPlace } from '../../src/undo/undo-place.js'
import { carryOut, type UndoPlace } from '../../src/undo/undo-rounds.js'
import { action, finish, told, UndoWorld } from './undo-world.js'

const edit = (path: string, old_string: string, new_string: string) =>
  action('Edit', { path, old_string, new_string })
const read = (path: string) => action('Read', { path })
const write = (path: string, content: string) => action('Write', { path, content })

describe('undo and redo', () => {
  it('H1 takes a round out of the view and restores its files; redo brings both back', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\ntwo\n' })
    await world.ask('first question', [finish('first answer')])
    await world.ask('second question', [
      ...[read('a.ts'), edit('a.ts', 'two', '2'), edit('a.ts', '2', 'zwei')],
      ...[write('src/new/b.ts', 'b\n'), finish('done')],
    ])
    expect((await world.plan()).files.map(told)).toEqual([
      'restore change a.ts +1 -1',
      'restore delete src/new/b.ts +0 -1',
    ])
    expect(await world.undo()).toEqual([
      'restore change a.ts +1 -1, done',
      'restore delete src/new/b.ts +0 -1, done',
    ])
    expect([world.read('a.ts'), world.read('src/new/b.ts')]).toEqual(['one\ntwo\n', undefined])
    expect(readdirSync(world.root).sort()).toEqual(['.mutsumi', 'a.ts'])
    await world.redo()
    expect([world.read('a.ts'), world.read('src/new/b.ts')]).toEqual(['one\nzwei\n', 'b\n'])
    const [again = ''] = await world.ask('third question', [finish('ok')])
    expect(again).toContain('second question')
    await world.undo(2)
    const [request = ''] = await world.ask('another second question', [finish('ok')])
    expect(request).toContain('first question')
    expect(request).toContain('another second question')
    expect(request).not.toMatch(/"second question|third question|zwei/)
  })

  it('H1 works in the next process, and after a new question there is nothing to redo', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\n' })
    await world.ask('change it', [read('a.ts'), edit('a.ts', 'one', 'two'), finish('done')])
    await world.reopen()
    await world.undo()
    expect(world.read('a.ts')).toBe('one\n')
    await world.reopen()
    await world.redo()
    expect(world.read('a.ts')).toBe('two\n')
    await world.reopen()
    await world.undo()
    await world.ask('something else', [finish('ok')])
    expect(await (await world.agent()).planRedo()).toEqual({ kind: 'nothing', why: 'asked-since' })
    await world.undo()
    // Only the newest undo comes back.
    await world.redo()
    expect((await world.session()).session.cells.map(({ content }) => content)).toEqual(['something else'])
    expect(world.read('a.ts')).toBe('one\n')
  })

  it('Z8 an undo whose process ended before the last file is finished at the next opening, and said', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\n', 'b.ts': 'one\n' })
    await world.ask('change them', [
      ...[read('a.ts'), edit('a.ts', 'one', 'two'), read('b.ts'), edit('b.ts', 'one', 'two')],
      finish('done'),
    ])
    const workspace = new Workspace({ root: world.root })
    const place = openUndoPlace({ session: await world.session(), workspace })
    const killed: UndoPlace = {
      ...place,
      files: {
        look: (path) => place.files.look(path),
        refusal: (path) => place.files.refusal(path),
        tidy: (path) => place.files.tidy(path),
        restore(path, to) {
          if (path === 'b.ts') throw new Error('its process ends here')
          return place.files.restore(path, to)
        },
      },
    }
    await expect(carryOut(killed, await world.plan())).rejects.toThrow('ends here')
    expect([world.read('a.ts'), world.read('b.ts')]).toEqual(['one\n', 'two\n'])
    await world.reopen()
    const told = await finishUndos(await world.session(), { root: world.root })
    expect(told.map(({ message }) => message)).toEqual([
      'an undo was interrupted and is finished now: "a.ts", "b.ts"',
    ])
    expect([world.read('a.ts'), world.read('b.ts')]).toEqual(['one\n', 'one\n'])
    expect(await finishUndos(await world.session(), { root: world.root })).toEqual([])
    await world.redo()
    expect([world.read('a.ts'), world.read('b.ts')]).toEqual(['two\n', 'two\n'])
    await world.undo()
    expect([world.read('a.ts'), world.read('b.ts')]).toEqual(['one\n', 'one\n'])
  })

  it('H1 says that there is nothing to undo or to redo', async () => {
    const agent = await new UndoWorld().agent()
    expect(await agent.planUndo()).toEqual({ kind: 'nothing', why: 'no-rounds' })
    expect(await agent.planRedo()).toEqual({ kind: 'nothing', why: 'no-undo' })
  })

  it('H1 leaves files alone that a person edited since, restores the others, and shows the difference', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\n', 'b.ts': 'one\n' })
    await world.ask('change both', [
      ...[read('a.ts'), edit('a.ts', 'one', 'two'), read('b.ts'), edit('b.ts', 'one', 'two')],
      finish('done'),
    ])
    world.write('a.ts', 'two\nand mine\n')
    const { files } = await world.plan()
    expect(files.map(told)).toEqual(['edited change a.ts +1 -2', 'restore change b.ts +1 -1'])
    expect(files[0]?.diff).toContain('-and mine')
    await world.undo()
    expect([world.read('a.ts'), world.read('b.ts')]).toEqual(['two\nand mine\n', 'one\n'])
    world.write('b.ts', 'mine too\n')
    expect(await world.redo()).toEqual(['edited change b.ts +1 -1, not done'])
    expect([world.read('a.ts'), world.read('b.ts')]).toEqual(['two\nand mine\n', 'mine too\n'])
  })

  it('H1 a file that changes between the preview and the undo is left alone', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\n' })
    await world.ask('change it', [read('a.ts'), edit('a.ts', 'one', 'two'), finish('done')])
    const plan = await world.plan()
    world.write('a.ts', 'mine\n')
    const { files } = await (await world.agent()).carryOut(plan)
    expect(files).toMatchObject([{ done: false, reason: expect.stringContaining('was changed') }])
    expect(world.read('a.ts')).toBe('mine\n')
  })

  it('H1 the mode and binary content are restored', async () => {
    const world = new UndoWorld()
    const bytes = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a])
    world.write('run.sh', bytes)
    chmodSync(join(world.root, 'run.sh'), 0o755)
    await world.ask('rewrite it', [read('run.sh'), write('run.sh', 'echo\n'), finish('done')])
    expect(world.read('run.sh')).toBe('echo\n')
    await world.undo()
    expect(readFileSync(join(world.root, 'run.sh'))).toEqual(bytes)
    expect(statSync(join(world.root, 'run.sh')).mode & 0o777).toBe(0o755)
  })

  it('H1 after an undo the model has to read files again before it changes them', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\n', 'b.ts': 'one\n' })
    await world.ask('look and change', [
      read('a.ts'),
      read('b.ts'),
      edit('a.ts', 'one', 'two'),
      finish('done'),
    ])
    await world.undo()
    const requests = await world.ask('again', [edit('b.ts', 'one', 'two'), finish('ok')])
    expect(requests.at(-1)).toContain('read it first')
    expect(world.read('b.ts')).toBe('one\n')
  })

  it('A7 a sub-agent’s changes are undone with the round of its parent', async () => {
    const world = new UndoWorld()
    const task = action('Task', { description: 'x', prompt: 'write it' })
    await world.ask('delegate', [task, write('b.ts', 'b\n'), finish('written'), finish('done')])
    expect(world.read('b.ts')).toBe('b\n')
    await world.undo()
    expect(world.read('b.ts')).toBeUndefined()
  })

  it('H1 changes by a call in the prompt itself are undone too', async () => {
    const world = new UndoWorld()
    await world.ask('@[Write{"path":"b.ts","content":"b"}] look', [finish('ok')])
    expect(world.read('b.ts')).toBe('b')
    await world.undo()
    expect(world.read('b.ts')).toBeUndefined()
  })

  it('H1 shows what the agent changed, since the beginning or since a round', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\n' })
    await world.ask('first', [read('a.ts'), edit('a.ts', 'one', 'two'), finish('ok')])
    await world.ask('second', [
      read('a.ts'),
      edit('a.ts', 'two', 'three'),
      write('b.ts', 'b\n'),
      finish('ok'),
    ])
    const agent = await world.agent()
    const all = await agent.changedSince()
    expect(all.map(({ path, effect, edited }) => [path, effect, edited])).toEqual([
      ['a.ts', 'change', false],
      ['b.ts', 'create', false],
    ])
    expect(all[0]?.diff).toContain('-one\n+three')
    const [second] = await agent.changedSince({ round: 2 })
    expect(second?.diff).toContain('-two\n+three')
    world.write('a.ts', 'mine\n')
    expect(await agent.changedSince({ round: 2 })).toMatchObject([{ edited: true }, { edited: false }])
  })
})

describe('a session from a stranger', () => {
  it.for([
    ['../outside.txt', 'is outside the folders that you opened'],
    ['/tmp/mutsumi-never-written', 'is outside the folders that you opened'],
    ['.git/hooks/pre-commit', 'is in a protected place'],
    ['.mutsumi/config.json', 'is in a protected place'],
    ['link/inside.txt', 'leads through a link now'],
    ['folder', 'is a folder now'],
  ] as const)('A8 H1 its undo writes nothing to %s', async ([path, reason]) => {
    const world = new UndoWorld()
    mkdirSync(join(world.root, 'folder'))
    symlinkSync(join(world.root, 'folder'), join(world.root, 'link'))
    const session = await world.session()
    const text = 'echo owned\n'
    await session.recordSnapshot(text)
    const { id } = await session.add({ type: 'cell', role: 'user', content: 'hello' })
    const files = [{ path, before: { hash: sha256(text), mode: 0o4777 }, after: null }]
    await session.add({ type: 'change', cell: id, tool: 'Bash', files })
    expect(await world.undo()).toEqual([`refused change ${path} +0 -0, not done: ${reason}`])
    expect(world.read(path === 'folder' ? 'folder/x' : path)).toBeUndefined()
  })

  it('A8 H1 its allowed folders limit which files are restored', async () => {
    const world = new UndoWorld({ 'a.ts': 'one\n', 'src/b.ts': 'one\n' })
    await world.ask('change both', [
      ...[read('a.ts'), edit('a.ts', 'one', 'two'), read('src/b.ts'), edit('src/b.ts', 'one', 'two')],
      finish('done'),
    ])
    const session = await world.session()
    await session.add({ type: 'metadata', set: { allowed_uris: [join(world.root, 'src')] } })
    expect((await world.plan()).files.map(told)).toEqual([
      'refused change a.ts +0 -0: is outside the folders that you opened',
      'restore change src/b.ts +1 -1',
    ])
  })

  it('Z4 if a copy is missing, its file is not restored, the reason is said, and nothing is lost', async () => {
    const world = new UndoWorld({ 'a.ts': 'x'.repeat(100_000) })
    await world.ask('change it', [read('a.ts'), write('a.ts', 'short'), finish('done')])
    removeCopies((await world.session()).header.id)
    await world.reopen()
    expect(await world.undo()).toEqual([
      'lost change a.ts +0 -0, not done: its earlier content is not on this machine',
    ])
    expect(world.read('a.ts')).toBe('short')
  })
})
