import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contentFolder, deleteSession, lockPath, restoreSession } from '../src/node.js'
import {
  cellsOf,
  created,
  reopened,
  sessionWith,
  startProgram,
  storeProgram,
  temporaryFolder,
} from './support/store-world.js'

const large = 'a large text '.repeat(10_000)

async function sessionWithLargeText(): Promise<string> {
  const path = join(temporaryFolder(), 'talk.mtm')
  const file = await created(path)
  await file.add({ type: 'cell', role: 'user', content: large })
  await file.close()
  return path
}

describe('a link in the place of the folder of contents', () => {
  it('N3 leads nobody out: nothing is deleted, read or written behind it, and the session opens', async () => {
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

  it('N3 only names that the store gives are swept from a real one', async () => {
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

describe('what is no regular file', () => {
  it('N3 in the place of the lock, it is told like a lock that nobody can read, and soon', async () => {
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
      expect(child.lines[0]).toMatch(/does not name.*remove .*talk\.mtm\.lock/)
      await child.ended
      rmSync(lockPath(path), { recursive: true })
    }
    await (await reopened(path)).close()
  })

  it('N3 in the place of a content, it is missing with a note, and nobody waits for it', async () => {
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
  it('N1 what a person put there is not deleted with the session', async () => {
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
