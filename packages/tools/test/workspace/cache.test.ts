import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { DirectoryReading, FileReading } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { Workspace } from '../../src/index.js'
import { ReadScope } from '../../src/workspace/allowed-folders.js'
import { isUnchanged, StatCache } from '../../src/workspace/stat-cache.js'
import { faultOf, limits, outsideFault, textOf } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Longer than the time in which a file's times prove nothing. */
const settled = () => setTimeout(250)

function openWorkspace(files: Record<string, string>) {
  const folder = temporaryFolder(files)
  const workspace = new Workspace({ root: folder.path })
  const options = { ...limits, allowed: [folder.path] }
  return { folder, workspace, options, read: (name: string) => workspace.read(folder.at(name), options) }
}

/** Bytes that this process has asked the kernel to read. */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}

describe('an unchanged file', () => {
  test('G5 gives the same object', async () => {
    const { read } = openWorkspace({ 'a.txt': 'content', 'b/c.txt': '' })
    const [file, folder] = [read('a.txt'), read('b')]
    expect(read('a.txt')).toBe(file)
    expect(read('b')).toBe(folder)
    await settled()
    expect(read('a.txt')).toBe(file)
    expect(read('a.txt')).toBe(file)
    expect(read('b')).toBe(folder)
  })

  test('G5 is not read again', async () => {
    const { read } = openWorkspace({ 'a.txt': 'x'.repeat(200_000) })
    await settled()
    read('a.txt')
    const before = bytesRead()
    for (let round = 0; round < 200; round++) read('a.txt')
    // Reading it 200 times would be 40 MB.
    expect(bytesRead() - before).toBeLessThan(10_000_000)
  })

  test('G5 refusals are the same object too', () => {
    const { folder, read } = openWorkspace({ binary: 'a\0b' })
    folder.link('out', '/etc/passwd')
    for (const name of ['binary', 'missing', 'out']) expect(read(name)).toBe(read(name))
  })

  test('G5 keeps its object when it is touched, or written again with the same text', async () => {
    const { folder, read } = openWorkspace({ 'a.txt': 'content' })
    const reading = read('a.txt')
    utimesSync(folder.at('a.txt'), 1, 1)
    expect(read('a.txt')).toBe(reading)
    await settled()
    folder.write({ 'a.txt': 'content' })
    expect(read('a.txt')).toBe(reading)
    folder.write({ 'new.txt': 'content' })
    renameSync(folder.at('new.txt'), folder.at('a.txt'))
    expect(read('a.txt')).toBe(reading)
  })

  test('G5 keeps the objects of its parts, separately for each limit and range', async () => {
    const { folder, workspace, options } = openWorkspace({ large: 'one\ntwo\nthree\n' })
    await settled()
    const variants = [
      { ...options, maxBytes: 5 },
      { ...options, maxBytes: 9 },
      { ...options, maxBytes: 5, lines: { start: 2, end: 2 } },
      { ...options, maxBytes: 5, lines: { start: 3, end: 3 } },
      { ...options, maxBytes: 5, lines: { start: 9, end: 9 } },
      options,
    ]
    const first = variants.map((variant) => workspace.read(folder.at('large'), variant))
    expect(first.map((reading) => (reading.kind === 'file' ? reading.text : reading.kind))).toEqual([
      ...['one\n', 'one\ntwo\n', 'two', 'three', 'fault', 'one\ntwo\nthree\n'],
    ])
    const second = variants.map((variant) => workspace.read(folder.at('large'), variant))
    for (const [index, reading] of second.entries()) expect(reading).toBe(first[index])
  })
})

describe('a changed file', () => {
  test('G5 gives a new object with the new text', async () => {
    const { folder, read } = openWorkspace({ 'a.txt': 'before' })
    await settled()
    const before = read('a.txt')
    folder.write({ 'a.txt': 'after, and longer' })
    expect(read('a.txt')).not.toBe(before)
    expect(textOf(read('a.txt'))).toBe('after, and longer')
  })

  test('G5 is noticed when size and times stay the same within the clock’s grain', () => {
    const { folder, read } = openWorkspace({ 'a.txt': '' })
    for (let round = 0; round < 500; round++) {
      const text = String(round).padStart(8, '0')
      writeFileSync(folder.at('a.txt'), text)
      expect(textOf(read('a.txt'))).toBe(text)
    }
  })

  test('G5 is noticed when its modification time was set back', async () => {
    const { folder, read } = openWorkspace({ 'a.txt': 'before' })
    utimesSync(folder.at('a.txt'), 1000, 1000)
    await settled()
    read('a.txt')
    folder.write({ 'a.txt': 'after!' })
    utimesSync(folder.at('a.txt'), 1000, 1000)
    expect(textOf(read('a.txt'))).toBe('after!')
  })

  test('G5 is noticed when a folder gains or loses a name', async () => {
    const { folder, read } = openWorkspace({ 'd/a': '' })
    await settled()
    const before = read('d')
    folder.write({ 'd/b': '' })
    expect(read('d')).toMatchObject({ entries: [{ name: 'a' }, { name: 'b' }] })
    rmSync(folder.at('d/b'))
    expect(read('d')).toEqual(before)
  })

  test('G5 a deleted file is not found, and comes back as it was', () => {
    const { folder, read } = openWorkspace({ 'a.txt': 'content' })
    const before = read('a.txt')
    rmSync(folder.at('a.txt'))
    expect(faultOf(read('a.txt'))).toBe('NOT_FOUND: not found')
    folder.write({ 'a.txt': 'content' })
    expect(read('a.txt')).toBe(before)
  })

  test('G5 a file that grows beyond the limit, and shrinks again, is always as it is', async () => {
    const { folder, workspace, options } = openWorkspace({ 'a.txt': 'one\n' })
    const read = () => workspace.read(folder.at('a.txt'), { ...options, maxBytes: 6 })
    expect(read()).toMatchObject({ text: 'one\n', truncated: false })
    folder.write({ 'a.txt': 'one\ntwo\n' })
    await settled()
    const large = read()
    expect(large).toMatchObject({ text: 'one\n', truncated: true })
    const before = bytesRead()
    expect(read()).toBe(large)
    expect(bytesRead() - before).toBeLessThan(1_000_000)
    folder.write({ 'a.txt': 'one\n' })
    expect(read()).toMatchObject({ text: 'one\n', truncated: false })
  })
})

describe('properties that distinguish two files', () => {
  test.for(['ino', 'dev', 'size', 'mtimeMs', 'ctimeMs'] as const)('G5 %s alone does', (field) => {
    const path = temporaryFolder({ 'a.txt': 'content' }).at('a.txt')
    const stat = statSync(path)
    const reading = { kind: 'directory', entries: [] } satisfies DirectoryReading
    const readAt = Date.now() + 60_000
    const isKnown = (known: typeof stat) =>
      isUnchanged({ reading, stat: known, realPath: path, readAt, scope: new ReadScope([]) }, path)
    expect(isKnown(stat)).toBe(true)
    expect(isKnown(Object.assign(statSync(path), { [field]: stat[field] - 1 }))).toBe(false)
  })
})

describe('times that prove nothing', () => {
  // This kernel's clock may be too fine to be caught out, so the reading is dated by hand.
  const isTrusted = (path: string, readAt: number) => {
    const reading = { kind: 'directory', entries: [] } satisfies DirectoryReading
    return isUnchanged(
      { reading, stat: statSync(path), realPath: path, readAt, scope: new ReadScope([]) },
      path,
    )
  }

  test('G5 a file that was read within a clock tick of its change is read again', () => {
    const folder = temporaryFolder({ 'a.txt': '' })
    const path = folder.at('a.txt')
    utimesSync(path, 1000.5, 1000.5)
    const { ctimeMs } = statSync(path)
    expect(isTrusted(path, ctimeMs - 5)).toBe(false)
    expect(isTrusted(path, ctimeMs + 20)).toBe(false)
    expect(isTrusted(path, ctimeMs + 2500)).toBe(true)
  })

  test('G5 a modification time in the future is never trusted', () => {
    const folder = temporaryFolder({ 'a.txt': '' })
    utimesSync(folder.at('a.txt'), 1e10, 1e10)
    expect(isTrusted(folder.at('a.txt'), Date.now() + 60_000)).toBe(false)
  })

  test('G5 if times are whole seconds, two seconds prove nothing', () => {
    const folder = temporaryFolder({ 'a.txt': '' })
    const path = folder.at('a.txt')
    // Ahead of the time of the inode's change, which cannot be set, so that only this one decides.
    const second = Math.ceil(Date.now() / 1000) + 10
    utimesSync(path, second, second)
    expect(isTrusted(path, second * 1000 + 1900)).toBe(false)
    expect(isTrusted(path, second * 1000 + 2100)).toBe(true)
    utimesSync(path, second, second + 0.25)
    expect(isTrusted(path, second * 1000 + 250 + 90)).toBe(false)
    expect(isTrusted(path, second * 1000 + 250 + 110)).toBe(true)
  })
})

describe('the cache', () => {
  test('A8 is given only to sessions that may read it', async () => {
    const { folder, workspace, options } = openWorkspace({ 'src/a.txt': 'content' })
    await settled()
    const path = folder.at('src/a.txt')
    const reading = workspace.read(path, options)
    const narrow = { ...options, allowed: [folder.at('src')] }
    const nothing = { ...options, allowed: [] }
    expect(workspace.read(path, narrow)).toBe(reading)
    expect(faultOf(workspace.read(path, nothing))).toBe(outsideFault)
    expect(workspace.read(path, options)).toBe(reading)
    expect(faultOf(workspace.read(path, nothing))).toBe(outsideFault)
  })

  test('A8 is not given for a link that now leads elsewhere', async () => {
    const { folder, read } = openWorkspace({ 'a.txt': 'a', 'b.txt': 'b' })
    const outside = temporaryFolder({ 'secret.txt': 'SECRET' })
    folder.link('link', 'a.txt')
    await settled()
    expect(textOf(read('link'))).toBe('a')
    rmSync(folder.at('link'))
    folder.link('link', 'b.txt')
    expect(textOf(read('link'))).toBe('b')
    rmSync(folder.at('link'))
    folder.link('link', outside.at('secret.txt'))
    expect(faultOf(read('link'))).toBe(outsideFault)
  })

  test('G5 is limited in number and in size, and drops the oldest first', () => {
    const folder = temporaryFolder({ file: '' })
    const options = { ...limits, allowed: [] }
    const entry = (text: string) => ({
      reading: { kind: 'file', text, hash: text, size: text.length, truncated: false } satisfies FileReading,
      stat: statSync(folder.at('file')),
      realPath: folder.at('file'),
      readAt: 0,
      scope: new ReadScope([]),
    })
    const cache = new StatCache({ entries: 3, text: 100 })
    const known = () =>
      ['a', 'b', 'c', 'd', 'e'].filter((path) => cache.find(path, options) !== undefined).join('')
    for (const path of ['a', 'b', 'c', 'd']) cache.keep(path, options, entry(path))
    expect(known()).toBe('bcd')
    cache.keep('b', options, entry('again'))
    cache.keep('e', options, entry('e'.repeat(90)))
    expect(known()).toBe('dbe'.split('').sort().join(''))
    cache.keep('a', options, entry('a'.repeat(20)))
    expect(known()).toBe('a')
    cache.keep('b', options, entry('b'.repeat(101)))
    expect(known()).toBe('')
  })
})
