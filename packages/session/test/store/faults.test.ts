import { appendFileSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  canMount,
  cellsOf,
  created,
  FailingDisk,
  reopened,
  sessionWith,
  startMounted,
  storeProgram,
  temporaryFolder,
} from '../support/store-world.js'

describe('a full disk', () => {
  it.skipIf(!canMount())(
    'N3 a full real file system gives a clear error, keeps the old data, and works again with room',
    async () => {
      const program = await storeProgram(`
      import { rmSync, writeFileSync } from 'node:fs'
      const path = args[0] + '/full.mtm'
      const { file } = await store.createSession(path)
      const saved = []
      let failure
      for (let number = 0; failure === undefined && number < 1000; number++)
        await file.add({ type: 'cell', role: 'user', content: number + ':' + 'x'.repeat(3000) }).then(
          (record) => saved.push(record.id),
          (error) => (failure = error),
        )
      const large = await file.add({ type: 'cell', role: 'user', content: 'y'.repeat(70_000) }).catch((error) => error)
      const reader = (await store.openSession(path, { readOnly: true })).file
      const kept = saved.every((id) => reader.records.some((record) => record.id === id))
      const cut = reader.notes.length
      await reader.close()
      // Room again: another file goes.
      rmSync(args[0] + '/ballast')
      const after = await file.add({ type: 'cell', role: 'user', content: 'room again' })
      await file.close()
      const again = (await store.openSession(path)).file
      const { cells } = again.session
      say(JSON.stringify({
        saved: saved.length, code: failure?.code, message: failure?.message, large: large.code, kept, cut,
        last: cells.at(-1).content, count: cells.length, notes: again.notes,
      }))
      await again.close()
    `)
      const folder = temporaryFolder()
      const run = startMounted(
        program,
        folder,
        `mount -t tmpfs -o size=256k tmpfs "$1" && head -c 65536 /dev/zero > "$1/ballast"`,
      )
      await run.line('{')
      const { saved, message, ...told } = JSON.parse(run.lines[0] ?? '')
      expect(told).toEqual({
        code: 'disk-full',
        large: 'disk-full',
        kept: true,
        cut: 0,
        last: 'room again',
        count: saved + 1,
        notes: [],
      })
      expect(saved).toBeGreaterThan(20)
      expect(message).toMatch(/no room.*full\.mtm.*Free some space.*not saved.*intact/)
    },
  )

  it('N3 half a written line is cut off, and the session continues', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, disk)
    await file.add({ type: 'cell', role: 'user', content: 'one' })
    const before = readFileSync(path)
    disk.shortenNext(20).failNext('write', 'ENOSPC')
    const failing = file.add({ type: 'cell', role: 'user', content: 'lost' })
    await expect(failing).rejects.toMatchObject({ code: 'disk-full', cause: { code: 'ENOSPC' } })
    expect(readFileSync(path)).toEqual(before)
    expect(file.session.cells).toHaveLength(1)
    await file.add({ type: 'cell', role: 'user', content: 'two' })
    await file.close()
    expect(await cellsOf(path)).toEqual(['one', 'two'])
  })

  it('N3 half a line that could not be cut off at once is cut off before the next line', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, disk)
    const size = statSync(path).size
    disk.shortenNext(20).failNext('write', 'ENOSPC').failNext('truncate', 'EIO')
    await expect(file.add({ type: 'cell', role: 'user', content: 'lost' })).rejects.toThrow('no room')
    expect(statSync(path).size).toBe(size + 20)
    await file.add({ type: 'cell', role: 'user', content: 'saved' })
    await file.close()
    expect(await cellsOf(path)).toEqual(['saved'])
  })

  it('N3 records that wait after a lost one are lost with it, not saved without it', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, disk)
    const outcomes: Promise<unknown>[] = []
    const add = (content: string) =>
      outcomes.push(file.add({ type: 'cell', role: 'user', content }).catch(({ code }) => code))
    disk.failNext('write', 'ENOSPC', () => add('second'))
    add('first')
    await outcomes[0]
    expect(await Promise.all(outcomes)).toEqual(['disk-full', 'disk-full'])
    await file.close()
    expect(await cellsOf(path)).toEqual([])
  })
})

describe('a disk that fails', () => {
  it('N3 a record whose sync failed is neither acknowledged nor in the file; the next one is both', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, disk)
    disk.failNext('datasync', 'EIO')
    const failing = file.add({ type: 'cell', role: 'user', content: 'lost' })
    await expect(failing).rejects.toMatchObject({ code: 'disk-error' })
    expect(await cellsOf(path)).toEqual([])
    await file.add({ type: 'cell', role: 'user', content: 'saved' })
    await file.close()
    expect(await cellsOf(path)).toEqual(['saved'])
  })

  it('N3 a session whose disk fails at every second call never shows an unacknowledged record', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, disk)
    const saved: string[] = []
    for (let number = 0; number < 60; number++) {
      if (number % 3 === 1) disk.failNext('datasync', 'EIO')
      if (number % 5 === 2) disk.shortenNext(number).failNext('write', 'ENOSPC')
      if (number % 7 === 3) disk.failNext('truncate', 'EIO')
      const content = `cell ${number}`
      await file.add({ type: 'cell', role: 'user', content }).then(
        () => saved.push(content),
        () => undefined,
      )
    }
    // A cut that is still due is done by the next append.
    for (let number = 0; number < 20; number++)
      await file.add({ type: 'cell', role: 'user', content: `end ${number}` }).then(
        () => saved.push(`end ${number}`),
        () => undefined,
      )
    await file.close()
    expect(saved.length).toBeGreaterThan(30)
    expect(await cellsOf(path)).toEqual(saved)
  })
})

describe('a disk that fails while another program writes', () => {
  it('N3 the other program’s lines are not cut off with the half line', async () => {
    const disk = new FailingDisk()
    const path = await sessionWith(1)
    const other = readFileSync(await sessionWith(2), 'utf8')
      .split('\n')
      .slice(3, 5)
      .join('\n')
    const file = await reopened(path, disk)
    disk.shortenNext(20).failNext('write', 'ENOSPC', () => appendFileSync(path, `\n${other}\n`))
    await expect(file.add({ type: 'cell', role: 'user', content: 'lost' })).rejects.toThrow('no room')
    await file.add({ type: 'cell', role: 'user', content: 'on' })
    expect(file.session.cells.map(({ content }) => content)).toEqual(['question 1', 'on'])
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'question 2', 'on'])
  })
})

describe('changes by other programs', () => {
  it('N3 Z4 lines that another program appended are kept and not used until the next opening, and our own records are not mistaken for them', async () => {
    const path = await sessionWith(1)
    const other = readFileSync(await sessionWith(2), 'utf8').split('\n')
    const file = await reopened(path)
    await file.add({ type: 'cell', role: 'user', content: 'ours' })
    expect(await file.refresh()).toBe('unchanged')
    appendFileSync(path, `${other[3]}\n`)
    expect(await file.refresh()).toBe('reloaded')
    expect(await file.refresh()).toBe('unchanged')
    expect(file.session.cells.map(({ content }) => content)).toEqual(['question 1', 'ours'])
    expect(file.news).toMatchObject([
      { code: 'foreign-added', message: expect.stringContaining('1 records') },
    ])
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'ours', 'question 2'])
  })

  it('N3 a record appended after another program rewrote the file is in the new file', async () => {
    const path = await sessionWith(2)
    const file = await reopened(path)
    const lines = readFileSync(path, 'utf8').split('\n')
    // As an editor or git does it: a new file takes the place, here without the last round.
    writeFileSync(`${path}.new`, `${lines.slice(0, 3).join('\n')}\n`)
    renameSync(`${path}.new`, path)
    await file.add({ type: 'cell', role: 'user', content: 'on' })
    expect(file.session.cells.map(({ content }) => content)).toEqual(['question 1', 'on'])
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'on'])
  })

  it('N3 Z4 a text that was changed in a line without a sum is kept, and not used', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/question 1"(,.*)?,"sum":"[0-9a-f]{8}"\}/, 'QUESTION"}'))
    expect(await file.refresh()).toBe('reloaded')
    expect(file.session.cells[0]?.content).toBe('question 1')
    expect(readFileSync(path, 'utf8')).toContain('QUESTION')
  })

  it('N3 no record is acknowledged after the file was deleted or replaced by another session', async () => {
    const path = await sessionWith(1)
    const other = await sessionWith(1)
    const file = await reopened(path)
    renameSync(path, `${path}.away`)
    const adding = () => file.add({ type: 'cell', role: 'user', content: 'x' })
    await expect(adding()).rejects.toMatchObject({ code: 'missing' })
    renameSync(other, path)
    await expect(adding()).rejects.toMatchObject({ code: 'replaced' })
    renameSync(`${path}.away`, path)
    await adding()
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'x'])
  })

  it('N3 a record is in the file with the session’s name, even if that file was replaced during the write', async () => {
    for (const method of ['write', 'datasync'] as const) {
      const disk = new FailingDisk()
      const path = await sessionWith(1)
      const file = await reopened(path, disk)
      disk.beforeNext(method, () => {
        writeFileSync(`${path}.new`, readFileSync(path))
        renameSync(`${path}.new`, path)
      })
      await file.add({ type: 'cell', role: 'user', content: 'saved' })
      await file.add({ type: 'cell', role: 'user', content: 'on' })
      expect(file.session.cells.map(({ content }) => content)).toEqual(['question 1', 'saved', 'on'])
      await file.close()
      const again = await reopened(path)
      expect(again.session.cells.map(({ content }) => content)).toEqual(['question 1', 'saved', 'on'])
      expect(again.notes).toEqual([])
    }
  })

  it('N3 a synced record is saved, even if the file cannot be inspected right after', async () => {
    const disk = new FailingDisk()
    const path = await sessionWith(1)
    const file = await reopened(path, disk)
    disk.beforeNext('datasync', () => renameSync(path, `${path}.away`))
    await file.add({ type: 'cell', role: 'user', content: 'saved' })
    renameSync(`${path}.away`, path)
    await file.add({ type: 'cell', role: 'user', content: 'on' })
    expect(file.session.cells.map(({ content }) => content)).toEqual(['question 1', 'saved', 'on'])
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'saved', 'on'])
  })

  it('N3 records that an older copy of the file does not have are kept beside it, with a note, once', async () => {
    const path = await sessionWith(1)
    const older = readFileSync(path)
    const file = await reopened(path)
    await file.add({ type: 'cell', role: 'user', content: 'one' })
    await file.add({ type: 'cell', role: 'user', content: 'y'.repeat(70_000) })
    const ours = file.records.slice(2)
    writeFileSync(path, older)
    await file.add({ type: 'cell', role: 'user', content: 'on' })
    const kept = readdirSync(dirname(path)).filter((name) => name.includes('.lost-'))
    expect(kept).toEqual([expect.stringMatching(/^talk\.lost-\d{8}T\d{9}Z$/)])
    const text = readFileSync(join(dirname(path), kept[0] ?? ''), 'utf8')
    expect(file.notes).toMatchObject([
      { code: 'records-lost', message: expect.stringMatching(/^2 records .*talk\.lost-/) },
    ])
    appendFileSync(path, text)
    expect(await file.refresh()).toBe('reloaded')
    expect(file.records.slice(3)).toEqual(ours)
    expect(file.notes).toHaveLength(1)
    await file.close()
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.lost-'))).toEqual(kept)
  })

  it('N3 a reader keeps nothing beside a file that lost records', async () => {
    const path = await sessionWith(2)
    const reader = await reopened(path, { readOnly: true })
    writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, 3).join('\n')}\n`)
    expect(await reader.refresh()).toBe('reloaded')
    expect([reader.records.length, readdirSync(dirname(path))]).toEqual([2, ['talk.mtm']])
  })
})
