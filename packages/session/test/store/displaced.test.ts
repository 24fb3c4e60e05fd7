import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/support/eventually.js'
import { runs } from '../../../../test/support/property-runs.js'
import type { SessionFile } from '../../src/node.js'
import { contentFolder } from '../../src/store/companion-paths.js'
import {
  addRound,
  cellsOf,
  created,
  FailingDisk,
  reopened,
  sessionWith,
  startProgram,
  storeProgram,
  temporaryFolder,
} from '../support/store-world.js'

const texts = (file: SessionFile) => file.session.cells.map(({ content }) => content)
const large = `large ${'l'.repeat(70_000)}`
const unknown = '{"type":"mood","id":"x1","at":"now"}'

/** A session that is open, with a large text, a snapshot and a line of a newer version. */
async function openedSession(): Promise<{ path: string; file: SessionFile }> {
  const path = await sessionWith(2)
  appendFileSync(path, `${unknown}\n`)
  const file = await reopened(path)
  await addRound(file, large)
  await file.recordSnapshot(`kept ${'k'.repeat(70_000)}`)
  await addRound(file, 'last')
  return { path, file }
}

function besides(path: string, part: string): readonly string[] {
  return readdirSync(dirname(path))
    .filter((name) => name.includes(part))
    .map((name) => join(dirname(path), name))
}

describe('a file that another program empties or cuts off while it is open', () => {
  it('N3 saved records are written again before anything else, with a note, however much was left', async () => {
    const { path, file } = await openedSession()
    const whole = readFileSync(path)
    const header = whole.indexOf('\n')
    for (const left of [
      0,
      1,
      header - 1,
      header,
      header + 2,
      Math.floor(whole.length / 2),
      whole.length - 20,
    ]) {
      truncateSync(path, left)
      await addRound(file, `after ${left}`)
      expect([left, readFileSync(path, 'utf8').slice(0, whole.length)]).toEqual([left, whole.toString()])
      expect(file.notes).toContainEqual({
        code: 'records-restored',
        source: 'talk.mtm',
        message: expect.stringMatching(/Another program .*written again.*\.bak-/),
      })
    }
    await file.close()
    const again = await reopened(path)
    expect(again.notes).toEqual([])
    expect(texts(again).slice(0, 4)).toEqual(['question 1', 'question 2', large, 'last'])
    expect(texts(again)).toHaveLength(4 + 7)
    expect(readFileSync(path, 'utf8')).toContain(`\n${unknown}\n`)
  })

  it('N3 if an editor empties the file, waits and then writes, the session waits for it, and keeps the edit unused', async () => {
    const { path, file } = await openedSession()
    const edited = readFileSync(path, 'utf8').replace('"question 1"', '"question one"')
    const descriptor = openSync(path, 'w')
    setTimeout(() => writeSync(descriptor, edited.slice(0, 300)), 20)
    setTimeout(() => writeSync(descriptor, edited.slice(300)), 40)
    await addRound(file, 'on')
    expect(texts(file)).toEqual(['question 1', 'question 2', large, 'last', 'on'])
    expect(file.notes).toMatchObject([{ code: 'edits-taken' }, { code: 'foreign-line' }])
  })

  it('N3 if an editor dies halfway, everything that it did not write is kept, and its edit stays unused', async () => {
    const { path, file } = await openedSession()
    const edited = readFileSync(path, 'utf8').replace('"question 1"', '"question one"')
    writeFileSync(path, edited.slice(0, edited.indexOf('"question 2"')))
    await addRound(file, 'on')
    expect(texts(file)).toEqual(['question 1', 'question 2', large, 'last', 'on'])
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'question 2', large, 'last', 'on'])
    expect((await reopened(path)).notes).toMatchObject([{ code: 'foreign-line' }])
  })

  it('N3 a file that is emptied between two writes of one record is whole with that record', async () => {
    const disk = new FailingDisk()
    const path = await sessionWith(2)
    const file = await reopened(path, disk)
    disk.beforeNext('write', () => truncateSync(path, 0))
    await addRound(file, 'on')
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'question 2', 'on'])
  })

  it('N3 closing a session whose file was emptied restores the file', async () => {
    const { path, file } = await openedSession()
    writeFileSync(path, '')
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'question 2', large, 'last'])
    expect(file.news).toMatchObject([{ code: 'records-restored' }])
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  it('N3 a deleted file is created again by the next record, not by closing', async () => {
    const { path, file } = await openedSession()
    rmSync(path)
    await addRound(file, 'on')
    expect(texts(file)).toEqual(['question 1', 'question 2', large, 'last', 'on'])
    expect(file.news).toMatchObject([{ message: expect.stringMatching(/deleted the file.*written again/) }])
    rmSync(path)
    await file.close()
    expect(existsSync(path)).toBe(false)
  })

  it('N3 a file that was moved is left where it is', async () => {
    const { path, file } = await openedSession()
    renameSync(path, `${path}.elsewhere`)
    await expect(addRound(file, 'on')).rejects.toMatchObject({ code: 'missing' })
    await file.close()
    expect([existsSync(path), existsSync(`${path}.elsewhere`)]).toEqual([false, true])
  })
})

describe('a file that replaces an open one', () => {
  it('N3 is never overwritten: the saved records go to a session beside it, once, and the message names it', async () => {
    const other = readFileSync(await sessionWith(1), 'utf8')
    for (const text of ['a note of mine\n', '\0\0\0\0', '{"metadata":{},"context":[]}', other]) {
      const { path, file } = await openedSession()
      writeFileSync(path, text)
      const failing = addRound(file, 'on')
      await expect(failing).rejects.toThrow(/The records saved before are in .*talk\.rescued-.*\.mtm/)
      await expect(addRound(file, 'on')).rejects.toThrow('rescued')
      await expect(file.close()).rejects.toThrow('rescued')
      expect(readFileSync(path, 'utf8')).toBe(text)
      const [rescued = '', ...more] = besides(path, '.rescued-').filter((name) => name.endsWith('.mtm'))
      expect(more).toEqual([])
      rmSync(contentFolder(path), { recursive: true })
      const again = await reopened(rescued)
      expect([again.notes, again.header.id]).toEqual([[], file.header.id])
      expect(texts(again)).toEqual(['question 1', 'question 2', large, 'last'])
      for (const hash of again.facts.snapshots.keys()) expect(again.readSnapshot(hash).kind).toBe('content')
    }
  })

  it('N3 that has all records and cannot be written (git’s conflict markers) leaves nothing beside it', async () => {
    const { path, file } = await openedSession()
    appendFileSync(path, '<<<<<<< HEAD\n=======\n>>>>>>> branch\n')
    await expect(addRound(file, 'on')).rejects.toMatchObject({ code: 'conflict' })
    await file.close()
    expect(besides(path, '.rescued-')).toEqual([])
  })

  it('N3 if a folder or a link replaces the file, the whole session is saved beside it', async () => {
    for (const put of [(path: string) => mkdirSync(path), (path: string) => symlinkSync('nowhere', path)]) {
      const { path, file } = await openedSession()
      rmSync(path)
      put(path)
      await expect(addRound(file, 'on')).rejects.toMatchObject({ code: 'replaced' })
      await file.close().catch(() => undefined)
      expect(await cellsOf(besides(path, '.rescued-')[0] ?? '')).toContain('last')
    }
  })

  it('N3 an older version that git checks out is used, and the records that it lacks are kept beside it', async () => {
    const path = await sessionWith(1)
    const folder = dirname(path)
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' })
    git('init')
    git('add', 'talk.mtm')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-m', 'one')
    const file = await reopened(path)
    await addRound(file, 'two')
    git('checkout', '--', 'talk.mtm')
    await file.close()
    expect(file.news).toMatchObject([{ code: 'records-lost', message: expect.stringMatching(/^2 records /) }])
    expect(readFileSync(besides(path, '.lost-')[0] ?? '', 'utf8')).toContain('"content":"two"')
  })
})

it('N3 whatever other programs do and whenever the writer is killed, an acknowledged record is on disk with all earlier ones', async () => {
  const program = await storeProgram(`
    const opening = await store.openSession(args[0])
    if (opening.kind !== 'opened') throw new Error(opening.message)
    say('opened')
    for (let number = 0; ; number++) {
      const content = args[1] + '.' + number + ':' + 'x'.repeat(number % 7 === 6 ? 70_000 : number * 10 % 900)
      const begun = Date.now()
      const { id } = await opening.file.add({ type: 'cell', role: 'user', content })
      say('saved ' + id + ' ' + begun)
    }
  `)
  const path = join(temporaryFolder(), 'talk.mtm')
  await (await created(path)).close()
  let harmed = 0
  for (let run = 0; run < runs(8); run++) {
    const child = startProgram(program, path, String(run))
    await child.line('opened')
    await pause(Math.random() * 30)
    harm(path, run)
    // Only a record that was begun after that proves anything: earlier words of the writer may still be on their way.
    const harmedAt = Date.now()
    const isLater = (line: string) => Number(/^saved \S+ (\d+)$/.exec(line)?.[1]) > harmedAt
    const later = await eventually(() => child.lines.filter(isLater).length > 2)
    child.kill()
    await child.ended
    if (later) harmed++
    const saved = child.lines.flatMap((line) => /^saved (\S+) /.exec(line)?.[1] ?? [])
    const found = everythingIn(dirname(path))
    expect(saved.filter((id) => !found.includes(`"id":"${id}"`))).toEqual([])
    if (later) await (await reopened(path)).close()
    else rmSync(path, { force: true })
    if (!later) await (await created(path)).close()
  }
  expect(harmed).toBeGreaterThan(runs(8) / 2)
}, 400_000)

/** Empties the file, cuts it off, or writes it anew with an edit, in place or as another file. */
function harm(path: string, run: number): void {
  const bytes = readFileSync(path)
  switch (run % 4) {
    case 0:
      return truncateSync(path, 0)
    case 1:
      return truncateSync(path, Math.floor(Math.random() * bytes.length))
    case 2:
      writeFileSync(path, bytes.subarray(0, Math.floor(Math.random() * bytes.length)))
      return writeFileSync(path, bytes)
    default:
      writeFileSync(`${path}~`, bytes)
      return renameSync(`${path}~`, path)
  }
}

function everythingIn(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && basename(entry.name).startsWith('talk.'))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
}
