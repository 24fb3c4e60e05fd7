import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createSession,
  deleteSession,
  forkSession,
  listSessions,
  listTrash,
  openSession,
  renameSession,
  restoreSession,
  sessionsFolder,
} from '../../src/node.js'
import { contentFolder, lockPath } from '../../src/store/companion-paths.js'
import {
  cellsOf,
  created,
  reopened,
  sessionWith,
  startProgram,
  storeProgram,
  temporaryFolder,
} from '../support/store-world.js'

const large = 'a large text '.repeat(10_000)

async function sessionWithLargeText(): Promise<string> {
  const path = join(temporaryFolder(), 'talk.mtm')
  const file = await created(path)
  await file.add({ type: 'cell', role: 'user', content: large })
  await file.close()
  return path
}

describe('a link instead of the folder of contents', () => {
  it('N3 is not followed: nothing is deleted, read or written through it, and the session opens', async () => {
    const path = await sessionWith(1)
    const outside = temporaryFolder()
    const names = ['keep.0123456789ab.tmp', `${'a'.repeat(64)}.0123456789ab.tmp`]
    for (const name of names) writeFileSync(join(outside, name), 'not ours')
    symlinkSync(outside, contentFolder(path))
    const file = await reopened(path)
    await expect(file.add({ type: 'cell', role: 'user', content: large })).rejects.toThrow(
      /talk\.mtm\.d is a link/,
    )
    await file.add({ type: 'cell', role: 'user', content: 'small' })
    await file.close()
    expect(readdirSync(outside).sort()).toEqual([...names].sort())
    expect(await cellsOf(path)).toEqual(['question 1', 'small'])
    expect(await deleteSession(path)).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining('link'),
    })
    expect(existsSync(path)).toBe(true)
  })

  it('N3 only files with the store’s own names are removed from a real folder', async () => {
    const path = await sessionWithLargeText()
    const folder = contentFolder(path)
    writeFileSync(join(folder, 'keep.0123456789ab.tmp'), 'a person’s')
    writeFileSync(join(folder, `${'a'.repeat(64)}.0123456789ab.tmp`), 'half a text')
    await (await reopened(path)).close()
    const left = readdirSync(folder)
    expect(left).toHaveLength(2)
    expect(left).toContain('keep.0123456789ab.tmp')
  })
})

describe('files that are not regular', () => {
  it('N3 instead of the lock, they are reported at once as an unreadable lock', async () => {
    const program = await storeProgram(`
      const opening = await store.openSession(args[0])
      say(opening.kind + ' ' + opening.message)
    `)
    const path = await sessionWith(1)
    const makers = [
      (lock: string) => symlinkSync('/nowhere/at/all', lock),
      (lock: string) => symlinkSync('/dev/zero', lock),
      (lock: string) => execFileSync('mkfifo', [lock]),
      (lock: string) => mkdirSync(lock),
      (lock: string) => writeFileSync(lock, ' '.repeat(1024 * 1024)),
    ]
    for (const make of makers) {
      make(lockPath(path))
      const child = startProgram(program, path)
      await child.line('locked')
      expect(child.lines[0]).toMatch(/by an unknown process.*remove .*talk\.mtm\.lock/)
      await child.ended
      rmSync(lockPath(path), { recursive: true })
    }
    await (await reopened(path)).close()
  })

  it('N3 instead of a content, they count as missing, with a note and without waiting', async () => {
    const program = await storeProgram(`
      const opening = await store.openSession(args[0], { readOnly: true })
      say(opening.kind + ' ' + opening.file.notes.map(({ code, message }) => code + ' ' + message).join())
    `)
    const path = await sessionWithLargeText()
    const [hash = ''] = readdirSync(contentFolder(path))
    const place = join(contentFolder(path), hash)
    const makers = [() => symlinkSync('/dev/zero', place), () => execFileSync('mkfifo', [place])]
    for (const make of makers) {
      rmSync(place)
      make()
      const child = startProgram(program, path)
      await child.line('opened')
      expect(child.lines[0]).toMatch(/missing-content .*(link|regular file)/)
      await child.ended
    }
  })
})

describe('the folder of contents of a session that moves', () => {
  it('N1 files that a person put there are not deleted with the session', async () => {
    const path = await sessionWithLargeText()
    const notes = join(contentFolder(path), 'notes.txt')
    writeFileSync(notes, 'mine')
    const deleted = await deleteSession(path)
    expect(readFileSync(notes, 'utf8')).toBe('mine')
    expect(readdirSync(contentFolder(path))).toEqual(['notes.txt'])
    if (deleted.kind !== 'moved') throw new Error(deleted.message)
    expect(await restoreSession(deleted.path)).toMatchObject({ kind: 'moved', path })
    expect(await cellsOf(path)).toEqual([large])
    expect(
      readdirSync(dirname(path))
        .map((name) => basename(name))
        .sort(),
    ).toEqual(['.trash', 'talk.mtm', 'talk.mtm.d'])
  })
})

describe('a project whose .mutsumi leads out of it', () => {
  /** A project with a folder `.mutsumi/sessions`, one of which is a link to a folder with a session in it. */
  async function projectWith(link: '.mutsumi' | 'sessions') {
    const outside = dirname(await sessionWith(1))
    const project = temporaryFolder()
    if (link === 'sessions') {
      mkdirSync(join(project, '.mutsumi'))
      symlinkSync(outside, join(project, '.mutsumi', 'sessions'))
    } else {
      const elsewhere = temporaryFolder()
      symlinkSync(outside, join(elsewhere, 'sessions'))
      symlinkSync(elsewhere, join(project, '.mutsumi'))
    }
    return { outside, folder: sessionsFolder(project) }
  }

  it.each(['.mutsumi', 'sessions'] as const)(
    'N1 through a link instead of %s: nothing is read or written there',
    async (link) => {
      const { outside, folder } = await projectWith(link)
      const before = readdirSync(outside)
      const path = join(folder, 'talk.mtm')
      const refused = {
        kind: 'fault',
        code: 'not-a-session',
        message: expect.stringContaining('a link leads out of'),
      }
      expect(await openSession(path)).toMatchObject(refused)
      expect(await openSession(path, { readOnly: true })).toMatchObject(refused)
      expect(await createSession(join(folder, 'new.mtm'))).toMatchObject(refused)
      expect(await listSessions(folder)).toMatchObject(refused)
      expect(await listTrash(folder)).toMatchObject(refused)
      expect(await deleteSession(path)).toMatchObject(refused)
      expect(await renameSession(path, { name: 'b' })).toMatchObject(refused)
      expect(await forkSession(path)).toMatchObject(refused)
      expect(await forkSession(await sessionWith(1), { to: join(folder, 'fork.mtm') })).toMatchObject(refused)
      expect(readdirSync(outside)).toEqual(before)
    },
  )

  it('N1 a link that stays inside the project, or is not part of a .mutsumi, is followed', async () => {
    const project = temporaryFolder()
    mkdirSync(join(project, 'talks'))
    mkdirSync(join(project, '.mutsumi'))
    symlinkSync(join(project, 'talks'), join(project, '.mutsumi', 'sessions'))
    await (await created(join(sessionsFolder(project), 'a.mtm'))).close()
    expect(readdirSync(join(project, 'talks'))).toEqual(['.gitignore', 'a.mtm'])
    const linked = join(temporaryFolder(), 'linked')
    symlinkSync(project, linked)
    expect(await cellsOf(join(linked, '.mutsumi', 'sessions', 'a.mtm'))).toEqual([])
    expect(await cellsOf(join(linked, 'talks', 'a.mtm'))).toEqual([])
  })

  it('N1 a folder that becomes a link while its session is opened is detected', async () => {
    const project = temporaryFolder()
    const folder = sessionsFolder(project)
    const path = join(folder, 'talk.mtm')
    await (await created(path)).close()
    const outside = dirname(await sessionWith(1))
    const openFile = async (name: string, flags: number) => {
      renameSync(folder, `${folder}-`)
      symlinkSync(outside, folder)
      return open(name, flags)
    }
    expect(await openSession(path, { readOnly: true, openFile })).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining('a link leads out of'),
    })
  })

  it('N1 a link instead of the trash is not followed', async () => {
    const path = await sessionWith(1)
    const outside = temporaryFolder()
    symlinkSync(outside, join(dirname(path), '.trash'))
    expect(await deleteSession(path)).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining('link'),
    })
    expect(await listTrash(dirname(path))).toMatchObject({ kind: 'fault' })
    expect([readdirSync(outside), existsSync(path)]).toEqual([[], true])
  })

  it('N1 a pipe instead of a session is refused at once, when opened or listed', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'pipe.mtm')
    execFileSync('mkfifo', [path])
    for (const readOnly of [true, false])
      expect(await openSession(path, { readOnly })).toMatchObject({ kind: 'fault', code: 'not-a-session' })
    expect(await listSessions(folder)).toMatchObject({
      sessions: [{ path, fault: { code: 'not-a-session' } }],
    })
    expect(readdirSync(folder)).toEqual(['pipe.mtm'])
  })
})
