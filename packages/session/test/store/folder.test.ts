import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createSession,
  deleteSession,
  forkSession,
  freePath,
  listSessionFiles,
  listSessions,
  listTrash,
  openSession,
  renameSession,
  restoreSession,
} from '../../src/node.js'
import { contentFolder } from '../../src/store/companion-paths.js'
import { fileNameFor } from '../../src/store/file-name.js'
import {
  addRound,
  canMount,
  cellsOf,
  created,
  reopened,
  sessionWith,
  startMounted,
  storeProgram,
  temporaryFolder,
} from '../support/store-world.js'

async function listed(folder: string) {
  const list = await listSessions(folder)
  if (list.kind !== 'listed') throw new Error(list.message)
  return list
}

describe('list', () => {
  it('N2 H2 files of any folder are listed by their first and last bytes', async () => {
    const [one, other] = [await sessionWith(1, 'one.mtm'), await sessionWith(1, 'other.mtm')]
    const file = await reopened(other)
    for (let round = 0; round < 30; round++) await addRound(file, 'long '.repeat(1000))
    await file.close()
    const gone = join(temporaryFolder(), 'gone.mtm')
    const { sessions, bytesRead } = await listSessionFiles([one, gone, other])
    expect(sessions.map(({ path, summary, fault }) => [path, summary?.rounds, fault?.code])).toEqual([
      [other, undefined, undefined],
      [one, 1, undefined],
      [gone, undefined, 'missing'],
    ])
    expect(bytesRead).toBeLessThan(statSync(other).size)
  })

  it('N2 the last active session comes first, whatever else is in the folder', async () => {
    const folder = temporaryFolder()
    for (const [name, at] of [
      ['old', '2026-01-01T00:00:00.000Z'],
      ['new', '2026-03-01T00:00:00.000Z'],
      ['middle', '2026-02-01T00:00:00.000Z'],
    ] as const) {
      const opening = await createSession(join(folder, `${name}.mtm`), {
        created: '2025-01-01T00:00:00.000Z',
      })
      if (opening.kind !== 'opened') throw new Error(opening.message)
      await opening.file.append({ type: 'cell', id: 'c', at, role: 'user', content: `about ${name}\nmore` })
      await opening.file.close()
    }
    writeFileSync(join(folder, 'notes.txt'), 'no session')
    writeFileSync(join(folder, 'broken.mtm'), 'no session')
    const { sessions } = await listed(folder)
    const good = sessions.filter(({ summary }) => summary)
    expect(good.map(({ path, summary }) => [basename(path), summary?.title, summary?.rounds])).toEqual([
      ['new.mtm', 'about new', 1],
      ['middle.mtm', 'about middle', 1],
      ['old.mtm', 'about old', 1],
    ])
    expect(sessions).toHaveLength(4)
  })

  it('N2 of a large session only the first and last 64 KiB are read', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    const cell = { type: 'cell', role: 'user', content: 'x'.repeat(50_000) } as const
    await Promise.all(Array.from({ length: 100 }, () => file.add(cell)))
    await file.append({
      type: 'metadata',
      id: 'last',
      at: '2199-01-01T00:00:00.000Z',
      set: { title: 'Named' },
    })
    await file.close()
    const { sessions, bytesRead } = await listed(dirname(path))
    expect(bytesRead).toBe(2 * 64 * 1024)
    expect(sessions).toMatchObject([{ lastAt: '2199-01-01T00:00:00.000Z', summary: { title: 'Named' } }])
  })

  it('N2 a folder that does not exist has no sessions', async () => {
    expect(await listed(join(temporaryFolder(), 'none'))).toMatchObject({ sessions: [], bytesRead: 0 })
  })
})

describe('fork', () => {
  it('N2 a fork has the rounds up to the given one, and is a separate session', async () => {
    const path = await sessionWith(4)
    const before = readFileSync(path)
    const fork = await forkSession(path, { round: 2 })
    if (fork.kind !== 'forked') throw new Error(fork.message)
    expect(await cellsOf(fork.path)).toEqual(['question 1', 'question 2'])
    const file = await reopened(fork.path)
    const original = await reopened(path, { readOnly: true })
    expect(file.header.id).not.toBe(original.header.id)
    expect(file.header.metadata.forked_from).toEqual({ session: original.header.id, round: 2 })
    expect(file.records).toEqual(original.records.slice(0, 4))
    await addRound(file, 'another way')
    await file.close()
    expect(readFileSync(path)).toEqual(before)
    expect(await cellsOf(fork.path)).toEqual(['question 1', 'question 2', 'another way'])
  })

  it('N2 cells that were later inserted before the round, edited or deleted are as the user sees them', async () => {
    const path = await sessionWith(3)
    const file = await reopened(path)
    const [first = '', second = '', third = ''] = file.session.cells.map(({ metadata }) => metadata?.id ?? '')
    await file.add({ type: 'cell', role: 'user', content: 'put between', after: first })
    await file.add({ type: 'edit', cell: second, deleted: true })
    await file.add({ type: 'edit', cell: first, content: 'question 1, edited' })
    await addRound(file, 'at the end')
    await file.close()
    expect(third).not.toBe('')
    const fork = await forkSession(path, { round: 2, to: join(dirname(path), 'named.mtm') })
    expect(fork).toMatchObject({ kind: 'forked', path: join(dirname(path), 'named.mtm') })
    expect(await cellsOf(join(dirname(path), 'named.mtm'))).toEqual(['question 1, edited', 'put between'])
  })

  it('N2 large contents go with the fork', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    await file.add({ type: 'cell', role: 'user', content: 'l'.repeat(70_000) })
    const hash = await file.recordSnapshot('s'.repeat(70_000))
    const fork = await forkSession(path)
    await file.close()
    await deleteSession(path)
    if (fork.kind !== 'forked') throw new Error(fork.message)
    const forked = await reopened(fork.path)
    expect(forked.notes).toEqual([])
    expect(forked.session.cells[0]?.content).toHaveLength(70_000)
    expect(forked.readSnapshot(hash)).toMatchObject({ kind: 'content' })
  })

  it('N2 a round that does not exist, or a name that is taken, is an error', async () => {
    const path = await sessionWith(2)
    expect(await forkSession(path, { round: 3 })).toMatchObject({
      code: 'bad-round',
      message: expect.stringContaining('has 2'),
    })
    expect(await forkSession(path, { round: 0 })).toMatchObject({ code: 'bad-round' })
    expect(await forkSession(path, { to: path })).toMatchObject({ code: 'exists' })
    const nowhere = join(dirname(path), 'none', 'x.mtm')
    expect(await forkSession(path, { to: nowhere })).toMatchObject({
      code: 'missing',
      message: expect.stringContaining(nowhere),
    })
    expect(await deleteSession(nowhere)).toMatchObject({ code: 'missing' })
    expect(await deleteSession(join(dirname(path), 'none.mtm'))).toMatchObject({ code: 'missing' })
    expect(readdirSync(dirname(path))).toEqual(['talk.mtm'])
    expect(await cellsOf(path)).toHaveLength(2)
  })
})

describe('rename', () => {
  it('N2 H2 an empty file, in which no session has begun, gets the name and stays empty', async () => {
    const path = join(temporaryFolder(), 'new.mtm')
    writeFileSync(path, '')
    const moved = join(dirname(path), 'A-plan.mtm')
    expect(await renameSession(path, { title: 'A plan' })).toEqual({ kind: 'moved', path: moved })
    expect([readFileSync(moved, 'utf8'), existsSync(path)]).toEqual(['', false])
  })

  it('N2 a title is written to the header and to the file’s name, and replaces older titles', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    await file.add({ type: 'metadata', set: { title: 'made up', model: 'm' } })
    await file.add({ type: 'cell', role: 'user', content: 'c'.repeat(70_000) })
    await file.close()
    const title = 'Fix: ../the "bug"\n👩‍💻'
    const renamed = await renameSession(path, { title })
    const place = join(dirname(path), fileNameFor(title))
    expect(renamed).toEqual({ kind: 'moved', path: place })
    expect(existsSync(path) || existsSync(contentFolder(path))).toBe(false)
    const again = await reopened(place)
    expect(again.notes).toEqual([])
    expect(again.session.metadata).toMatchObject({ title, model: 'm' })
    expect(again.session.cells[1]?.content).toHaveLength(70_000)
    await again.close()
    expect((await listed(dirname(path))).sessions).toMatchObject([{ summary: { title } }])
  })

  it('N2 a rename or a fork still reports a text that is missing from the folder of contents', async () => {
    const path = await sessionWith(0)
    const file = await reopened(path)
    await file.add({ type: 'cell', role: 'user', content: 'm'.repeat(70_000) })
    await file.close()
    renameSync(contentFolder(path), join(dirname(path), 'lost'))
    const renamed = await renameSession(path, { title: 'moved' })
    const fork = await forkSession(join(dirname(path), 'moved.mtm'))
    for (const moved of [renamed, fork]) {
      if (moved.kind !== 'moved' && moved.kind !== 'forked') throw new Error(moved.message)
      expect((await cellsOf(moved.path))[0]).toContain('missing')
      cpSync(join(dirname(path), 'lost'), contentFolder(moved.path), { recursive: true })
      expect(await cellsOf(moved.path)).toEqual(['m'.repeat(70_000)])
    }
  })

  it('N2 a new name without .mtm gets it, so lists still show the session', async () => {
    const path = await sessionWith(1)
    expect(await renameSession(path, { name: 'plans v1.2' })).toMatchObject({ kind: 'moved' })
    const { sessions } = await listed(dirname(path))
    expect(sessions.map(({ path }) => basename(path))).toEqual(['plans v1.2.mtm'])
  })

  it('N2 a file name is used as given, and never replaces another file', async () => {
    const path = await sessionWith(1)
    const folder = dirname(path)
    const other = join(folder, '-other\n.mtm')
    writeFileSync(other, 'precious')
    expect(await renameSession(path, { name: '-other\n.mtm' })).toMatchObject({ code: 'exists' })
    expect(readFileSync(other, 'utf8')).toBe('precious')
    for (const name of ['', '..', 'a/b', 'a\0b'])
      expect(await renameSession(path, { name })).toMatchObject({ code: 'bad-name' })
    expect(await renameSession(path, { name: ' 한국 .mtm' })).toMatchObject({ kind: 'moved' })
    expect(await cellsOf(join(folder, ' 한국 .mtm'))).toEqual(['question 1'])
  })

  it('N2 a session that another process is writing is not moved', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    expect(await renameSession(path, { title: 'x' })).toMatchObject({ kind: 'locked' })
    expect(await deleteSession(path)).toMatchObject({ kind: 'locked' })
    await file.close()
    expect(readdirSync(dirname(path))).toEqual(['talk.mtm'])
  })

  it('N2 a title becomes a name that is valid on every system', async () => {
    const names = [
      '',
      '...',
      'a/b\\c:d',
      'con',
      '-rf',
      '.hidden',
      '\u202eevil\u0000',
      '🦀'.repeat(80),
      ' x ',
      "what's `$(id)`; it?",
    ]
    expect(names.map(fileNameFor)).toEqual([
      'session.mtm',
      'session.mtm',
      'a-b-c-d.mtm',
      'con-session.mtm',
      'rf.mtm',
      'hidden.mtm',
      'evil.mtm',
      `${'🦀'.repeat(25)}.mtm`,
      'x.mtm',
      'whats-id-it.mtm',
    ])
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'x.mtm'), '')
    expect(await freePath(folder, 'x')).toBe(join(folder, 'x-2.mtm'))
  })
})

describe('trash', () => {
  it('N2 deleted sessions are in the trash, can be listed and restored, and overwrite nothing', async () => {
    const path = await sessionWith(1)
    const folder = dirname(path)
    const file = await reopened(path)
    await file.add({ type: 'cell', role: 'user', content: 'c'.repeat(70_000) })
    await file.close()
    const deleted = await deleteSession(path)
    if (deleted.kind !== 'moved') throw new Error(deleted.message)
    expect(readdirSync(folder)).toEqual(['.trash'])
    expect((await listed(folder)).sessions).toEqual([])
    expect(await listTrash(folder)).toMatchObject({ sessions: [{ path: deleted.path }] })

    const second = await created(path)
    await addRound(second, 'another talk')
    await second.close()
    expect(await restoreSession(deleted.path)).toMatchObject({ code: 'exists' })
    expect((await deleteSession(path)).kind).toBe('moved')
    expect(await listTrash(folder)).toMatchObject({ sessions: [{}, {}] })

    expect(await restoreSession(deleted.path)).toEqual({ kind: 'moved', path })
    expect(await cellsOf(path)).toEqual(['question 1', 'c'.repeat(70_000)])
    expect(await listTrash(folder)).toMatchObject({ sessions: [{}] })
    expect(readdirSync(join(folder, '.trash'))).toHaveLength(1)
  })
})

describe('a folder that cannot be written', () => {
  it.skipIf(!canMount())(
    'N3 a real read-only file system: writing is refused with a reason, reading works',
    async () => {
      const path = await sessionWith(1)
      appendFileSync(path, 'damage\n')
      const program = await storeProgram(`
      const path = args[0] + '/talk.mtm'
      const answers = {
        open: await store.openSession(path),
        create: await store.createSession(args[0] + '/new.mtm'),
        rename: await store.renameSession(path, { title: 'x' }),
        remove: await store.deleteSession(path),
        fork: await store.forkSession(path),
      }
      const reader = await store.openSession(path, { readOnly: true })
      const codes = Object.values(answers).map(({ kind, code }) => kind + ' ' + code)
      say(JSON.stringify({ codes, message: answers.open.message, cells: reader.file.session.cells.length }))
    `)
      const mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"'
      const run = startMounted(program, dirname(path), mount)
      await run.line('{')
      expect(JSON.parse(run.lines[0] ?? '')).toEqual({
        codes: Array.from({ length: 5 }, () => 'fault read-only'),
        message: expect.stringMatching(/talk\.mtm or its folder cannot be written.*EROFS.*read-only/),
        cells: 1,
      })
      expect(readdirSync(dirname(path))).toEqual(['talk.mtm'])
    },
  )
})

describe('the older format', () => {
  const older = JSON.stringify(
    {
      metadata: { model: 'old-model', title: 'Older' },
      context: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'hi' },
        { role: 'user', content: 'again' },
      ],
    },
    null,
    2,
  )

  it('N5 it opens, and is untouched until the first save, which keeps a copy of it', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    writeFileSync(path, older)
    const file = await reopened(path)
    expect(file.session.cells.map(({ content }) => content)).toEqual(['hello', 'again'])
    expect(readFileSync(path, 'utf8')).toBe(older)
    await addRound(file, 'on')
    await file.close()
    const backups = readdirSync(dirname(path)).filter((name) => name !== 'talk.mtm')
    expect(backups).toEqual([expect.stringMatching(/^talk\.mtm\.bak-/)])
    expect(readFileSync(join(dirname(path), backups[0] ?? ''), 'utf8')).toBe(older)
    expect(await cellsOf(path)).toEqual(['hello', 'again', 'on'])
    const again = await reopened(path)
    expect(again.session.metadata).toMatchObject({ model: 'old-model', title: 'Older' })
    expect(again.header.id).toBe(file.header.id)
    await addRound(again, 'and on')
    await again.close()
    expect(readdirSync(dirname(path))).toHaveLength(2)
  })

  it('N5 reading it, or opening it without a save, changes nothing', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    writeFileSync(path, older)
    expect(await cellsOf(path)).toEqual(['hello', 'again'])
    await (await reopened(path)).close()
    expect(readFileSync(path, 'utf8')).toBe(older)
    expect(readdirSync(dirname(path))).toEqual(['talk.mtm'])
  })

  it('N5 it can be forked and renamed, and the rename keeps a copy of it', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    writeFileSync(path, older)
    const file = await reopened(path)
    const fork = await forkSession(path, { round: 1 })
    expect(fork.kind === 'forked' && (await cellsOf(fork.path))).toEqual(['hello'])
    const renamed = await openSession(path)
    expect(renamed.kind).toBe('locked')
    await file.close()
    expect(await renameSession(path, { title: 'Newer' })).toMatchObject({ kind: 'moved' })
    expect(readdirSync(dirname(path)).sort()).toEqual([
      'Newer.mtm',
      'talk-fork.mtm',
      expect.stringMatching(/^talk\.mtm\.bak-/),
    ])
  })
})
