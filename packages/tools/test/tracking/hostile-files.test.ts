import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ChangedFile, ChangeKeeper, FileBefore } from '../../src/contract/changed-file.js'
import { CommandWatcher } from '../../src/tracking/command-watcher.js'
import { isPlainPath, parseGitIndex } from '../../src/tracking/git-index.js'
import { GitObjects } from '../../src/tracking/git-objects.js'
import { parsePathPattern } from '../../src/workspace/path-pattern.js'
import { addToIndex, makeRepository, writeIndex } from '../support/git-folder.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Keeps everything that it is given, as a session would. */
class Taker implements ChangeKeeper {
  readonly taken: string[] = []
  changes: readonly ChangedFile[] = []
  unseen: string | undefined

  async before(files: readonly FileBefore[]): Promise<ReadonlySet<string>> {
    for (const file of files) this.taken.push(String(file.read()))
    return new Set(files.map(({ hash }) => hash))
  }

  async changed(files: readonly ChangedFile[], unseen?: string): Promise<readonly string[]> {
    this.changes = files
    this.unseen = unseen
    for (const { before } of files) if (before?.bytes) this.taken.push(Buffer.from(before.bytes).toString())
    return []
  }

  change(path: string): ChangedFile | undefined {
    return this.changes.find((change) => change.path === path)
  }
}

async function during(
  watcher: CommandWatcher,
  command: () => unknown,
  denied: readonly string[] = [],
): Promise<Taker> {
  const taker = new Taker()
  const patterns = denied.map((text) => parsePathPattern(text)).filter((each) => typeof each !== 'string')
  const watch = await watcher.begin(taker, patterns)
  await command()
  await watch.end()
  return taker
}

const home = '/nowhere'
const canary = 'CANARY-PRIVATE-KEY\n'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('Z1 paths of git’s index', () => {
  it.for([
    '../id',
    'sub/../../id',
    'link/id',
    './../id',
    '/etc/hostname',
    '.git/config',
    '.GIT/config',
    'a//b',
  ])('Z1 %s is not read, though the index names it', async (path) => {
    const outside = temporaryFolder({ 'ws/a.ts': 'a\n', 'ws/sub/b.ts': 'b\n', id: canary })
    const root = outside.at('ws')
    symlinkSync(outside.path, join(root, 'link'))
    makeRepository(root, ['a.ts'])
    writeFileSync(join(root, '.git/config'), `[core]\n# ${canary}`)
    writeIndex(root, [{ path, from: outside.at('id') }])
    const watcher = new CommandWatcher([root], { home })
    const taker = await during(watcher, () => {
      writeFileSync(outside.at('id'), 'changed')
      writeFileSync(join(root, '.git/config'), '[core]\n')
    })
    expect(taker.taken.join()).not.toContain('CANARY')
    expect(taker.changes).toEqual([])
  })

  it('Z1 a file that git tracks although it ignores it is found, in an ignored folder too', async () => {
    const root = temporaryFolder({ '.gitignore': 'dist/\n', 'dist/deep/kept.js': 'kept\n' }).path
    makeRepository(root, ['.gitignore', 'dist/deep/kept.js'])
    const taker = await during(new CommandWatcher([root], { home }), () =>
      writeFileSync(join(root, 'dist/deep/kept.js'), 'new\n'),
    )
    expect(taker.taken).toEqual(['kept\n'])
    expect(taker.change('dist/deep/kept.js')?.before?.hash).toBe(sha256('kept\n'))
  })

  it('Z1 names that git would not check out are refused', () => {
    const odd = [
      '',
      '/a',
      'a/',
      'a//b',
      '.',
      './a',
      'a/..',
      '../a',
      'a\\b',
      'a\0b',
      '.git/x',
      'a/.Git',
      '.git',
    ]
    expect(odd.filter(isPlainPath)).toEqual([])
    expect(['a', '.gitignore', 'a/.github/x', '..a/b', 'a/...'].filter((path) => !isPlainPath(path))).toEqual(
      [],
    )
  })

  it('Z1 an index whose numbers lead past its end is not read', () => {
    const bytes = readFileSync(new URL('stored/index-4', import.meta.url))
    const signed = (change: (bytes: Buffer) => void) => {
      const body = Buffer.from(bytes.subarray(0, -20))
      change(body)
      return Buffer.concat([body, createHash('sha1').update(body).digest()])
    }
    expect(parseGitIndex(signed(() => undefined))?.size).toBe(4)
    // Four thousand million entries, a path that never ends, and one that removes more than there is.
    expect(parseGitIndex(signed((body) => body.writeUInt32BE(0xffffffff, 8)))).toBeUndefined()
    expect(parseGitIndex(signed((body) => body.fill(0x61, 12 + 63)))).toBeUndefined()
    expect(parseGitIndex(signed((body) => body.writeUInt8(0x7f, 12 + 62)))).toBeUndefined()
  })

  it('Z1 a folder that is swapped for a link while files are read gives nothing from outside', async () => {
    const outside = temporaryFolder({ 'secret/f0.ts': canary })
    for (let at = 0; at < 40; at++) {
      outside.write({ [`ws/sub/f${at}.ts`]: `own ${at}\n`, [`secret/f${at}.ts`]: canary })
    }
    const root = outside.at('ws')
    const script = `
      const fs = require('node:fs')
      const [sub, aside, target] = process.argv.slice(1)
      for (let at = 0; ; at++) {
        fs.renameSync(sub, aside); fs.symlinkSync(target, sub)
        fs.unlinkSync(sub); fs.renameSync(aside, sub)
        if (at === 10) console.log('swapping')
      }`
    const args = ['-e', script, join(root, 'sub'), outside.at('aside'), outside.at('secret')]
    const swapping = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void swapping.kill('SIGKILL'))
    await new Promise((heard) => swapping.stdout.once('data', heard))
    const taken: string[] = []
    for (let round = 0; round < 60; round++) {
      const taker = await during(new CommandWatcher([root], { home }), () => undefined)
      taken.push(...taker.taken)
    }
    expect(taken.filter((text) => text.includes('CANARY'))).toEqual([])
  })
})

describe('Z1 places that tracking opens', () => {
  const places = [
    '.git',
    '.git/index',
    '.git/config',
    '.git/commondir',
    '.git/objects',
    '.git/objects/pack',
    '.git/objects/pack/pack-1.idx',
    '.git/info/attributes',
    '.git/packed-refs',
    '.git/objects/info/alternates',
    '.gitattributes',
    '.gitignore',
    'plain.txt',
    'loose',
  ]
  const kinds = ['pipe', 'socket', 'link to /dev/zero', 'huge', 'folder'] as const

  it.for(places.flatMap((place) => kinds.map((kind) => [place, kind] as const)))(
    'Z1 %s: a %s does not stop a command',
    async ([place, kind]) => {
      const folder = temporaryFolder({ 'a.ts': 'a\n', 'b.ts': 'b\n' })
      makeRepository(folder.path, ['a.ts'])
      const path = place === 'loose' ? `.git/objects/${blobPath('a\n')}` : place
      rmSync(folder.at(path), { recursive: true, force: true })
      if (kind === 'pipe') folder.pipe(path)
      else if (kind === 'socket') await listen(folder.at(path))
      else if (kind === 'folder') mkdirSync(folder.at(path), { recursive: true })
      else if (kind === 'huge') {
        folder.write({ [path]: '' })
        truncateSync(folder.at(path), 2 ** 38)
      } else folder.link(path, '/dev/zero')
      const taker = await during(new CommandWatcher([folder.path], { home }), () => {
        writeFileSync(folder.at('a.ts'), 'a2\n')
        writeFileSync(folder.at('b.ts'), 'b2\n')
      })
      expect(taker.taken).toContain('b\n')
      expect(taker.change('a.ts')?.after?.hash).toBe(sha256('a2\n'))
    },
  )

  it('Z1 files that are too many to read after a command are reported', async () => {
    const folder = temporaryFolder({ 'a.ts': 'a\n' })
    const watcher = new CommandWatcher([folder.path], {
      home,
      limits: { file: 100, read: 100, changedFiles: 9, changedBytes: 99, readAfter: 3000 },
    })
    const taker = await during(watcher, () => {
      for (let at = 0; at < 5; at++) {
        folder.write({ [`f${at}`]: '' })
        truncateSync(folder.at(`f${at}`), 1000)
      }
    })
    expect(taker.unseen).toBe('too many large files')
    expect(taker.changes).toHaveLength(5)
  })
})

describe('Z1 objects of git', () => {
  it('Z1 an object that was swapped for one of the same size is not used', async () => {
    const folder = temporaryFolder({ 'a.ts': 'good content\n' })
    makeRepository(folder.path, ['a.ts'])
    const evil = Buffer.from('blob 13\0EVIL content\n')
    writeFileSync(folder.at(`.git/objects/${blobPath('good content\n')}`), deflateSync(evil))
    const taker = await during(new CommandWatcher([folder.path], { home }), () =>
      writeFileSync(folder.at('a.ts'), 'x'),
    )
    expect(taker.taken).toEqual([])
    expect(taker.change('a.ts')?.before).toEqual(expect.not.objectContaining({ bytes: expect.anything() }))
  })

  it('Z1 an index that was rewritten during a session does not decide about contents', async () => {
    const folder = temporaryFolder({ 'a.ts': 'one\n', 'evil.ts': 'bad\n' })
    makeRepository(folder.path, ['a.ts'])
    const watcher = new CommandWatcher([folder.path], { home })
    await during(watcher, () => {
      writeFileSync(folder.at('a.ts'), 'two\n')
      // Its own times, and the blob of another text of the same length.
      addToIndex(folder.path, ['evil.ts'])
      const longAgo = new Date(Date.now() - 60_000)
      utimesSync(folder.at('a.ts'), longAgo, longAgo)
      writeIndex(folder.path, [{ path: 'a.ts', from: folder.at('a.ts'), blob: blobName('bad\n') }])
    })
    const taker = await during(watcher, () => writeFileSync(folder.at('a.ts'), 'three\n'))
    expect(taker.taken).toContain('two\n')
    expect(taker.change('a.ts')?.before?.hash).toBe(sha256('two\n'))
  })

  it('Z1 a small pack that would unpack to gigabytes takes no memory', () => {
    const folder = temporaryFolder()
    const { name, files } = bombPack(250)
    folder.write(files)
    const before = process.memoryUsage().rss
    const objects = new GitObjects(folder.path)
    let most = 0
    for (let round = 0; round < 5; round++) {
      expect(objects.blob(name)).toBeUndefined()
      most = Math.max(most, process.memoryUsage().rss - before)
    }
    expect(most).toBeLessThan(200 * 1024 * 1024)
  })

  it('Z1 deltas that name each other end', () => {
    const folder = temporaryFolder()
    const name = 'ab'.repeat(20)
    const delta = deflateSync(Buffer.from([1, 1, 0x90, 1]))
    // An object that is the difference to itself.
    const body = Buffer.concat([Buffer.from([0x70 | 4]), Buffer.from(name, 'hex'), delta])
    folder.write(packFiles([{ name, body }]))
    expect(new GitObjects(folder.path).blob(name)).toBeUndefined()
  })

  it('Z1 objects that a link leads to count as absent', () => {
    const folder = temporaryFolder({ 'a.ts': 'a\n' })
    makeRepository(folder.path, ['a.ts'])
    const name = blobName('a\n')
    expect(new GitObjects(folder.at('.git/objects')).blob(name)?.toString()).toBe('a\n')
    const part = folder.at(`.git/objects/${name.slice(0, 2)}`)
    renameSync(part, folder.at('elsewhere'))
    symlinkSync(folder.at('elsewhere'), part)
    expect(new GitObjects(folder.at('.git/objects')).blob(name)).toBeUndefined()
  })
})

describe('Z4 secrets', () => {
  it('Z4 files that rules deny reading are remembered by hash only, tracked ones too', async () => {
    const folder = temporaryFolder({
      'secrets/own.txt': canary,
      'secrets/tracked.txt': canary,
      'a.ts': 'a\n',
    })
    makeRepository(folder.path, ['secrets/tracked.txt'])
    linkSync(folder.at('secrets/own.txt'), folder.at('hard.txt'))
    const taker = await during(new CommandWatcher([folder.path], { home }), () => {
      for (const name of ['secrets/own.txt', 'secrets/tracked.txt', 'a.ts'])
        writeFileSync(folder.at(name), 'x')
    }, ['secrets/**'])
    expect(taker.taken).toEqual(['a\n'])
    for (const name of ['secrets/own.txt', 'secrets/tracked.txt', 'hard.txt'])
      expect(taker.change(name)).toMatchObject({
        before: { hash: sha256(canary) },
        after: { hash: sha256('x') },
      })
  })

  it('Z4 a denial through a link covers the files that it leads to', async () => {
    const folder = temporaryFolder({ 'real/own.txt': canary, 'other/x/deep.txt': canary })
    symlinkSync('real', folder.at('secrets'))
    symlinkSync('other', folder.at('more'))
    const taker = await during(new CommandWatcher([folder.path], { home }), () => undefined, [
      'secrets/**',
      'more/x/*.txt',
    ])
    expect(taker.taken).toEqual([])
  })

  it('Z4 a file that was denied stays secret under a new name', async () => {
    const folder = temporaryFolder({ 'secrets/own.txt': canary })
    const watcher = new CommandWatcher([folder.path], { home })
    const move = () => renameSync(folder.at('secrets'), folder.at('public'))
    expect((await during(watcher, move, ['secrets/**'])).taken).toEqual([])
    expect((await during(watcher, () => undefined, ['secrets/**'])).taken).toEqual([])
  })

  it.for(['.env', 'config/.env.local', 'server.pem', '.ssh/work', 'id_rsa', '.env~'])(
    'Z4 %s is remembered by hash only',
    async (name) => {
      const folder = temporaryFolder({ [name]: canary, 'a.ts': 'a\n' })
      const watcher = new CommandWatcher([folder.path], { home })
      const taker = await during(watcher, () => writeFileSync(folder.at(name), 'x'))
      expect(taker.taken).toEqual(['a\n'])
      expect(taker.change(name)?.before).toEqual(expect.objectContaining({ hash: sha256(canary) }))
      expect(taker.change(name)?.before).not.toHaveProperty('bytes')
      expect((await during(watcher, () => utimesSync(folder.at(name), 1, 1))).changes).toEqual([])
    },
  )

  it('Z4 session files are never looked at, wherever they are, even if git tracks them', async () => {
    const names = ['talk.mtm', 'sub/talk.mtm.d/ab', '.mutsumi/sessions/go.mtm', 'talk.mtm.index', 'TALK.MTM']
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, canary])))
    makeRepository(folder.path, names)
    const taker = await during(new CommandWatcher([folder.path], { home }), () => {
      for (const name of names) writeFileSync(folder.at(name), 'x')
    })
    expect([taker.taken, taker.changes]).toEqual([[], []])
  })
})

describe('Z1 files that change while they are read', () => {
  it('Z1 a file that vanishes, shrinks or grows is not kept, and nothing fails', async () => {
    const folder = temporaryFolder({ 'a.ts': 'a\n', 'b.ts': 'b\n', 'c.ts': 'c\n' })
    const watcher = new CommandWatcher([folder.path], { home })
    const taker = new Taker()
    const texts: unknown[] = []
    taker.before = async (files) => {
      rmSync(folder.at('a.ts'))
      writeFileSync(folder.at('b.ts'), 'longer than before')
      writeFileSync(folder.at('c.ts'), '')
      for (const file of files) texts.push(file.read())
      return new Set()
    }
    await (await watcher.begin(taker)).end()
    expect(texts).toEqual([undefined, undefined, undefined])
    expect(taker.changes.map(({ before }) => before?.hash)).toEqual(['', '', ''])
  })
})

function blobName(text: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
}

function blobPath(text: string): string {
  const name = blobName(text)
  return `${name.slice(0, 2)}/${name.slice(2)}`
}

async function listen(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((heard) => server.listen(path, heard))
  expect(existsSync(path)).toBe(true)
}

/** A base of 16 MiB, and a difference that copies all of it so many times. */
function bombPack(copies: number) {
  const size = 16 * 1024 * 1024
  const base = Buffer.concat([head(3, size), deflateSync(Buffer.alloc(size))])
  const copy = [0x80 | 0x40 | 0x20 | 0x10, 0xff, 0xff, 0xff]
  const steps = Buffer.from(Array.from({ length: copies }, () => copy).flat())
  const delta = Buffer.concat([number(size), number(size), steps])
  const [baseName, name] = ['11'.repeat(20), '22'.repeat(20)]
  const body = Buffer.concat([head(7, delta.length), Buffer.from(baseName, 'hex'), deflateSync(delta)])
  return {
    name,
    files: packFiles([
      { name: baseName, body: base },
      { name, body },
    ]),
  }
}

/** A pack and its index, with the objects in the order of their names. */
function packFiles(objects: readonly { readonly name: string; readonly body: Buffer }[]) {
  const counts = Buffer.alloc(1024)
  for (let first = 0; first < 256; first++)
    counts.writeUInt32BE(
      objects.filter(({ name }) => Number.parseInt(name.slice(0, 2), 16) <= first).length,
      first * 4,
    )
  const start = Buffer.from('PACK\0\0\0\u0002\0\0\0\u0002', 'latin1')
  const offsets = Buffer.alloc(objects.length * 4)
  let at = start.length
  for (const [index, { body }] of objects.entries()) {
    offsets.writeUInt32BE(at, index * 4)
    at += body.length
  }
  const names = objects.map(({ name }) => Buffer.from(name, 'hex'))
  const checksums = Buffer.alloc(objects.length * 4)
  const magic = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])
  return {
    'pack/pack-1.idx': Buffer.concat([magic, counts, ...names, checksums, offsets, Buffer.alloc(40)]),
    'pack/pack-1.pack': Buffer.concat([start, ...objects.map(({ body }) => body)]),
  }
}

function head(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(left & 0x7f)
  }
  return Buffer.from(bytes)
}

function number(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push((left & 0x7f) | (left >= 128 ? 0x80 : 0))
    if (left < 128) return Buffer.from(bytes)
  }
}
