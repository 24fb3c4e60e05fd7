import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'

/** Makes a repository of a folder, without git: these files are in its index and its objects, as `git add` leaves them. */
export function makeRepository(folder: string, paths: readonly string[]): void {
  const git = join(folder, '.git')
  for (const name of ['objects', 'refs', 'hooks', 'info']) mkdirSync(join(git, name), { recursive: true })
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(git, 'config'), '[core]\n')
  addToIndex(folder, paths)
}

/** Writes the index anew. The files are changed a while ago, as far as their times say. */
export function addToIndex(folder: string, paths: readonly string[]): void {
  const entries = paths.toSorted().map((path) => {
    const file = join(folder, path)
    const longAgo = new Date(Date.now() - 60_000)
    utimesSync(file, longAgo, longAgo)
    return entryOf(path, lstatSync(file, { bigint: true }), writeBlob(folder, readFileSync(file)))
  })
  saveIndex(folder, entries)
}

/** A path for an index, which may be one that git would never write. */
export interface NamedEntry {
  readonly path: string
  /** The file whose times the entry has. */
  readonly from: string
  /** If it is not that file's own. */
  readonly blob?: string
}

/** Writes an index as an attacker would. */
export function writeIndex(folder: string, named: readonly NamedEntry[]): void {
  const entries = named.map(({ path, from, blob = writeBlob(folder, readFileSync(from)) }) =>
    entryOf(path, lstatSync(from, { bigint: true }), blob),
  )
  saveIndex(folder, entries)
}

function saveIndex(folder: string, entries: readonly Buffer[]): void {
  const head = Buffer.alloc(12)
  head.write('DIRC')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(entries.length, 8)
  const body = Buffer.concat([head, ...entries])
  writeFileSync(
    join(folder, '.git', 'index'),
    Buffer.concat([body, createHash('sha1').update(body).digest()]),
  )
}

function writeBlob(folder: string, content: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content])
  const name = createHash('sha1').update(whole).digest('hex')
  const path = join(folder, '.git', 'objects', name.slice(0, 2), name.slice(2))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, deflateSync(whole))
  return name
}

function entryOf(path: string, stat: ReturnType<typeof lstatSync> & object, blob: string): Buffer {
  const { ctimeNs, mtimeNs, dev, ino, mode, uid, gid, size } = stat as unknown as Record<string, bigint>
  const seconds = (time = 0n) => [time / 1_000_000_000n, time % 1_000_000_000n]
  const numbers = [...seconds(ctimeNs), ...seconds(mtimeNs), dev, ino, mode, uid, gid, size]
  const name = Buffer.from(path)
  const fixed = Buffer.alloc(62)
  for (const [index, number = 0n] of numbers.entries())
    fixed.writeUInt32BE(Number(BigInt.asUintN(32, number)), index * 4)
  fixed.write(blob, 40, 'hex')
  fixed.writeUInt16BE(Math.min(name.length, 0xfff), 60)
  const length = fixed.length + name.length
  return Buffer.concat([fixed, name, Buffer.alloc(8 - (length % 8))])
}
