import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { forkSession, openSession } from '@mutsumi/session/node'
import { copyFolderOf, shareCopies } from '@mutsumi/tools/parts'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { action, finish, UndoWorld } from './undo-world.js'

const read = (path: string) => action('Read', { path })
const write = (path: string, content: string) => action('Write', { path, content })
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Everything that is in the workspace below the sessions' folder. */
function sessionText(world: UndoWorld): string {
  const folder = join(world.root, '.mutsumi')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
}

const changesIn = async (world: UndoWorld) =>
  (await world.session()).facts.changes.flatMap(({ files }) => files)

describe('copies for undo', () => {
  it('Z4 are outside the workspace, and the session has only their hash, mode and size', async () => {
    const world = new UndoWorld({ 'a.txt': 'CANARY-BEFORE\n', 'other.txt': 'CANARY-UNTRACKED\n' })
    const command = 'echo after > a.txt; echo x > other.txt'
    await world.ask('change', [action('Bash', { command }), finish('done')])
    expect(sessionText(world)).not.toContain('CANARY')
    const { id } = (await world.session()).header
    const copies = copyFolderOf(id)
    expect(copies.startsWith(world.root)).toBe(false)
    expect(readFileSync(join(copies, sha256('CANARY-BEFORE\n')), 'utf8')).toBe('CANARY-BEFORE\n')
    expect(await changesIn(world)).toContainEqual(
      expect.objectContaining({
        path: 'a.txt',
        before: { hash: sha256('CANARY-BEFORE\n'), mode: expect.any(Number), size: 14 },
      }),
    )
    await world.undo()
    expect([world.read('a.txt'), world.read('other.txt')]).toEqual(['CANARY-BEFORE\n', 'CANARY-UNTRACKED\n'])
    expect(sessionText(world)).not.toContain('CANARY')
  })

  it('Z4 files with the names of secrets are remembered by their hash only, for tools and for commands', async () => {
    const world = new UndoWorld({ '.env': 'KEY=CANARY-A\n', 'server.pem': 'CANARY-B\n' })
    await world.ask('change', [
      ...[read('.env'), write('.env', 'KEY=new\n'), write('created.key', 'CANARY-C\n')],
      ...[action('Bash', { command: 'echo x > server.pem' }), finish('done')],
    ])
    const { id } = (await world.session()).header
    const copies = copyFolderOf(id)
    const kept = existsSync(copies) ? readdirSync(copies) : []
    for (const text of ['KEY=CANARY-A\n', 'CANARY-B\n', 'CANARY-C\n'])
      expect(kept).not.toContain(sha256(text))
    expect(await changesIn(world)).toContainEqual(
      expect.objectContaining({
        path: '.env',
        before: { hash: sha256('KEY=CANARY-A\n'), mode: expect.any(Number), lost: 13 },
      }),
    )
    // What the agent itself has created can be removed: that needs only the hash.
    expect(await world.undo()).toEqual([
      'lost change .env +0 -0, not done',
      'restore delete created.key +0 -1, done',
      'lost change server.pem +0 -0, not done',
    ])
    expect(world.read('.env')).toBe('KEY=new\n')
    expect(await world.redo()).toEqual(['lost create created.key +0 -0, not done'])
    const found = existsSync(copies) ? readdirSync(copies) : []
    expect(found).not.toContain(sha256('CANARY-C\n'))
  })

  it('Z4 files that a rule forbids to read are remembered by their hash only', async () => {
    const world = new UndoWorld({ 'secrets/a.txt': 'CANARY-A\n' }, { deny: 'Read(secrets/**)' })
    await world.ask('change', [
      action('Bash', { command: 'echo x > secrets/a.txt; echo y > secrets/b.txt' }),
      finish('done'),
    ])
    const { id } = (await world.session()).header
    const copies = copyFolderOf(id)
    expect(existsSync(copies) ? readdirSync(copies) : []).not.toContain(sha256('CANARY-A\n'))
    expect(sessionText(world)).not.toContain('CANARY')
    expect(await world.undo()).toEqual([
      expect.stringContaining('lost change secrets/a.txt'),
      'restore delete secrets/b.txt +0 -1, done',
    ])
    expect(readdirSync(copies, { recursive: true })).not.toContain(sha256('y\n'))
  })

  it('Z4 a state folder in the workspace is refused, said once, and the round goes on', async () => {
    const world = new UndoWorld({ 'a.txt': 'CANARY\n' })
    state(join(world.root, 'state'))
    const warnings = await world.warningsOf('change', [
      ...[read('a.txt'), write('a.txt', 'b\n'), write('a.txt', 'c\n'), write('n.txt', 'n\n'), finish('done')],
    ])
    expect(warnings.filter(({ code }) => code === 'undo-not-kept').map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^undo cannot keep copies: the state folder .* is in a folder that you opened; set /,
      ),
    ])
    expect(existsSync(join(world.root, 'state'))).toBe(false)
    expect(await world.undo()).toEqual([
      'lost change a.txt +0 -0, not done',
      'restore delete n.txt +0 -1, done',
    ])
  })

  it('Z4 a state folder that cannot be written is said once, and the round goes on', async () => {
    const world = new UndoWorld({ 'a.txt': 'a\n' })
    const place = join(world.outside, 'file')
    writeFileSync(place, '')
    state(place)
    const warnings = await world.warningsOf('change', [read('a.txt'), write('a.txt', 'b\n'), finish('done')])
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^undo cannot keep copies: .* could not be written: ENOTDIR\. The round goes on/),
    ])
    expect([world.read('a.txt'), await world.undo()]).toEqual(['b\n', ['lost change a.txt +0 -0, not done']])
  })

  it('Z4 a session that moved to another machine says so', async () => {
    const world = new UndoWorld({ 'a.txt': 'a\n' })
    await world.ask('change', [read('a.txt'), write('a.txt', 'b\n'), finish('done')])
    state(join(world.outside, 'other-machine'))
    await world.reopen()
    expect((await world.plan()).files).toMatchObject([
      { outcome: 'lost', missing: true, reason: 'its earlier content is not on this machine' },
    ])
  })

  it('Z4 a session of an older version still brings back what it holds', async () => {
    const world = new UndoWorld({ 'a.txt': 'new\n', 'b.dat': 'new' })
    const session = await world.session()
    const bytes = Buffer.from([0xff, 0, 1])
    const base64 = bytes.toString('base64')
    await session.recordSnapshot('old\n', sha256('old\n'))
    await session.recordSnapshot(base64, sha256(base64))
    const { id: cell } = await session.add({ type: 'cell', role: 'user', content: 'change' })
    const hash = createHash('sha256').update(bytes).digest('hex')
    const before = { hash: sha256('old\n'), mode: 0o644 }
    const after = { hash: sha256('new\n'), mode: 0o644 }
    const files = [
      { path: 'a.txt', before, after },
      {
        path: 'b.dat',
        before: { hash, mode: 0o644, base64: sha256(base64) },
        after: { ...after, hash: sha256('new') },
      },
    ]
    await session.add({ type: 'change', cell, tool: 'Write', files })
    await session.add({ type: 'step', cell, step: 1, content: 'done', final: true })
    expect((await world.undo()).every((line) => line.endsWith(', done'))).toBe(true)
    expect(world.read('a.txt')).toBe('old\n')
    expect(readFileSync(join(world.root, 'b.dat'))).toEqual(bytes)
  })

  it('Z4 a fork can undo what its records say, also when the original and its copies are gone', async () => {
    const world = new UndoWorld({ 'a.txt': 'a\n' })
    await world.ask('change', [read('a.txt'), write('a.txt', 'b\n'), finish('done')])
    const { id } = (await world.session()).header
    await world.reopen()
    const forked = await forkSession(world.path)
    if (forked.kind !== 'forked') throw new Error(forked.message)
    expect(shareCopies(id, forked.header.id)).toBeUndefined()
    rmSync(copyFolderOf(id), { recursive: true })
    world.path = forked.path
    expect(await world.undo()).toEqual(['restore change a.txt +1 -1, done'])
    expect(world.read('a.txt')).toBe('a\n')
  })

  it('Z8 a person’s text is never overwritten when an interrupted undo is finished', async () => {
    const world = new UndoWorld({ 'a.txt': 'a\n', 'b.txt': 'a\n' })
    await world.ask('change', [
      ...[read('a.txt'), write('a.txt', 'b\n'), read('b.txt'), write('b.txt', 'b\n'), finish('done')],
    ])
    await world.interruptUndo()
    world.write('a.txt', 'mine\n')
    const told = await world.finishUndos()
    expect(told).toEqual([
      'an undo was interrupted and is finished now: "b.txt"; "a.txt" stays as it is: it was edited since',
    ])
    expect([world.read('a.txt'), world.read('b.txt')]).toEqual(['mine\n', 'a\n'])
  })

  it('Z8 an opening for reading says that an undo waits, and changes nothing', async () => {
    const world = new UndoWorld({ 'a.txt': 'a\n' })
    await world.ask('change', [read('a.txt'), write('a.txt', 'b\n'), finish('done')])
    await world.interruptUndo()
    await world.reopen()
    const opened = await openSession(world.path, { readOnly: true })
    if (opened.kind !== 'opened') throw new Error(opened.message)
    expect(await world.finishUndos(opened.file)).toEqual([
      'an undo or redo was interrupted; it is finished when the session is next opened for writing',
    ])
    await opened.file.close()
    expect(world.read('a.txt')).toBe('b\n')
    expect(await world.finishUndos()).toHaveLength(1)
    expect(world.read('a.txt')).toBe('a\n')
  })

  it('Z8 if the session went on since, the files are named and stay', async () => {
    const world = new UndoWorld({ 'a.txt': 'a\n' })
    await world.ask('change', [read('a.txt'), write('a.txt', 'b\n'), finish('done')])
    await world.interruptUndo()
    // An older version knows no note.
    const session = await world.session()
    const { id } = await session.add({ type: 'cell', role: 'user', content: 'on' })
    await session.add({ type: 'step', cell: id, step: 1, content: 'done', final: true })
    expect(await world.finishUndos()).toEqual([
      'an undo or redo was interrupted, and the session went on since, so these files may be a mixture: "a.txt"',
    ])
    expect(world.read('a.txt')).toBe('b\n')
    expect(await world.finishUndos()).toEqual([])
  })
})

function state(folder: string): void {
  vi.stubEnv('MUTSUMI_STATE_DIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
}
