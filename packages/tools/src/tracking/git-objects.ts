import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { readOffset } from './git-index.js'

/** We do not read larger files. Users can restore them with git itself. */
const largestBlob = 32 * 1024 * 1024

/** The longest chain of deltas that we follow. */
const deepestChain = 100

/**
 * Reads blobs from a repository's own files. It does not start git, because a repository's config can make git run other
 * programs, and the repository may come from a stranger.
 */
export class GitObjects {
  readonly #folder: string
  #packs: readonly Pack[] | undefined

  /** `folder` is the one named `objects`. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The content of a blob; undefined if it cannot be found or read. */
  blob(name: string): Buffer | undefined {
    try {
      const found = this.#loose(name) ?? this.#packed(name)
      return found?.type === 'blob' ? found.bytes : undefined
    } catch {
      // The object is damaged, being written, or in a form that we cannot read.
      return undefined
    }
  }

  #loose(name: string): GitObject | undefined {
    const bytes = readIfThere(join(this.#folder, name.slice(0, 2), name.slice(2)))
    if (bytes === undefined) return undefined
    const whole = inflateSync(bytes, { maxOutputLength: largestBlob + 64 })
    const end = whole.indexOf(0)
    const [type = ''] = whole.toString('latin1', 0, end).split(' ')
    return { type, bytes: whole.subarray(end + 1) }
  }

  #packed(name: string): GitObject | undefined {
    return this.#find(name) ?? this.#findAnew(name)
  }

  #find(name: string): GitObject | undefined {
    this.#packs ??= packsIn(join(this.#folder, 'pack'))
    for (const pack of this.#packs) {
      const offset = pack.offsetOf(name)
      if (offset !== undefined) return pack.read(offset, (base) => this.#loose(base) ?? this.#find(base))
    }
    return undefined
  }

  /** Git repacks from time to time, so we look at the packs again. */
  #findAnew(name: string): GitObject | undefined {
    this.#packs = undefined
    return this.#find(name)
  }
}

interface GitObject {
  readonly type: string
  readonly bytes: Buffer
}

type FindBase = (name: string) => GitObject | undefined

function packsIn(folder: string): readonly Pack[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.idx'))
    .flatMap((name) => {
      const index = readIfThere(join(folder, name))
      const isKnown = index?.readUInt32BE(0) === 0xff744f63 && index.readUInt32BE(4) === 2
      return index && isKnown ? [new Pack(join(folder, name.replace(/idx$/, 'pack')), index)] : []
    })
}

const types = ['', 'commit', 'tree', 'blob', 'tag'] as const
const [byOffset, byName] = [6, 7]

/** One pack and its index of version 2: 256 counts, sorted names, checksums, offsets. */
class Pack {
  readonly #path: string
  readonly #index: Buffer
  readonly #count: number

  constructor(path: string, index: Buffer) {
    this.#path = path
    this.#index = index
    this.#count = index.readUInt32BE(8 + 255 * 4)
  }

  offsetOf(name: string): number | undefined {
    const wanted = Buffer.from(name, 'hex')
    const first = wanted.readUInt8(0)
    let low = first === 0 ? 0 : this.#index.readUInt32BE(8 + (first - 1) * 4)
    let high = this.#index.readUInt32BE(8 + first * 4)
    while (low < high) {
      const middle = (low + high) >> 1
      const at = namesAt + middle * 20
      const order = this.#index.compare(wanted, 0, 20, at, at + 20)
      if (order === 0) return this.#placeOf(middle)
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  #placeOf(position: number): number {
    const places = namesAt + this.#count * 24
    const place = this.#index.readUInt32BE(places + position * 4)
    if (place < 0x80000000) return place
    return Number(this.#index.readBigUInt64BE(places + this.#count * 4 + (place - 0x80000000) * 8))
  }

  read(offset: number, baseOf: FindBase): GitObject | undefined {
    const fd = openSync(this.#path, 'r')
    try {
      return this.#readAt(fd, offset, { baseOf, depth: 0 })
    } finally {
      closeSync(fd)
    }
  }

  #readAt(
    fd: number,
    offset: number,
    { baseOf, depth }: { readonly baseOf: FindBase; readonly depth: number },
  ): GitObject | undefined {
    const head = readPart(fd, offset, 64)
    const { type, size, next } = readHead(head)
    if (size > largestBlob || depth > deepestChain) return undefined
    if (type === byOffset) {
      const back = readOffset(head, next)
      const base = this.#readAt(fd, offset - back.value, { baseOf, depth: depth + 1 })
      return base && { ...base, bytes: applyDelta(base.bytes, inflateAt(fd, offset + back.next, size)) }
    }
    if (type === byName) {
      const base = baseOf(head.toString('hex', next, next + 20))
      return base && { ...base, bytes: applyDelta(base.bytes, inflateAt(fd, offset + next + 20, size)) }
    }
    const name = types[type]
    return name ? { type: name, bytes: inflateAt(fd, offset + next, size) } : undefined
  }
}

const namesAt = 8 + 256 * 4

/** Three bits of type, then the size: four bits, then seven per byte. */
function readHead(bytes: Buffer): { readonly type: number; readonly size: number; readonly next: number } {
  let at = 0
  let byte = bytes.readUInt8(at++)
  const type = (byte >> 4) & 7
  let size = byte & 15
  for (let weight = 16; byte & 0x80; weight *= 128) {
    byte = bytes.readUInt8(at++)
    size += (byte & 0x7f) * weight
  }
  return { type, size, next: at }
}

/** Data that deflate cannot compress grows by less than a hundredth. */
function inflateAt(fd: number, offset: number, size: number): Buffer {
  const bytes = inflateSync(readPart(fd, offset, Math.ceil(size * 1.01) + 128), {
    maxOutputLength: Math.max(1, size),
  })
  if (bytes.length !== size) throw new Error('not the size that was said')
  return bytes
}

/** A delta: both sizes, then parts that are copied from the base or contained in the delta. */
function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const before = readSize(delta, 0)
  const after = readSize(delta, before.next)
  if (before.value !== base.length || after.value > largestBlob) throw new Error('of another base')
  const parts: Buffer[] = []
  let at = after.next
  while (at < delta.length) {
    const code = delta.readUInt8(at++)
    if (code & 0x80) {
      const [offset, length] = [
        [0, 1, 2, 3],
        [4, 5, 6],
      ].map((bits) => {
        let value = 0
        for (const [index, bit] of bits.entries())
          if (code & (1 << bit)) value += delta.readUInt8(at++) * 256 ** index
        return value
      }) as [number, number]
      const end = offset + (length || 0x10000)
      if (end > base.length) throw new Error('beyond its base')
      parts.push(base.subarray(offset, end))
    } else {
      parts.push(delta.subarray(at, at + code))
      at += code
    }
  }
  const whole = Buffer.concat(parts)
  if (whole.length !== after.value) throw new Error('not the size that was said')
  return whole
}

function readSize(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from
  let value = 0
  for (let weight = 1; ; weight *= 128) {
    const byte = bytes.readUInt8(at++)
    value += (byte & 0x7f) * weight
    if (!(byte & 0x80)) return { value, next: at }
  }
}

function readPart(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(fd, buffer, 0, length, offset))
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
