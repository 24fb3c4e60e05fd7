import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { namesInExact, readExact, withExact } from '../workspace/open-exact.js'
import { readOffset } from './git-index.js'

/** We do not read larger objects. Users can restore them with git itself. */
const largestObject = 16 * 1024 * 1024

/** The longest chain of deltas that we follow. */
const deepestChain = 100

/** Git keeps at most 50 packs by itself. */
const mostPacks = 200

/** Their indexes stay in memory. */
const largestIndexes = 64 * 1024 * 1024

/**
 * How much may still be read and unpacked. Commands can write objects, and a small one can unpack to a very large one,
 * again and again.
 */
export class UnpackBudget {
  #left: number

  constructor(bytes = 256 * 1024 * 1024) {
    this.#left = bytes
  }

  get left(): number {
    return this.#left
  }

  /** Called before memory is taken. After the first refusal there is nothing left, so hostile objects end soon. */
  spend(bytes: number): void {
    const isEnough = bytes >= 0 && bytes <= this.#left
    this.#left = isEnough ? this.#left - bytes : 0
    if (!isEnough) throw new Error('too much to unpack')
  }
}

/**
 * Reads blobs from a repository's own files. It does not start git, because a repository's config can make git run other
 * programs, and the repository may come from a stranger. Commands can write these files, so nothing in them is believed:
 * links are not followed, sizes are checked before memory is taken, and a blob must have the hash that is its name.
 */
export class GitObjects {
  readonly #folder: string
  #packs: PackList | undefined

  /** `folder` is the real path of the one named `objects`. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The content of a blob; undefined if it cannot be found, or if it is not what its name says. */
  blob(name: string, budget = new UnpackBudget()): Buffer | undefined {
    try {
      const found = this.#find(name, { budget, depth: 0 })
      return found?.type === 'blob' && isNamed(name, found.bytes) ? found.bytes : undefined
    } catch {
      // The object is damaged, being written, too large, or in a form that we cannot read.
      return undefined
    }
  }

  #find(name: string, effort: Effort): GitObject | undefined {
    return this.#loose(name, effort) ?? this.#packed(name, effort)
  }

  #loose(name: string, { budget }: Effort): GitObject | undefined {
    const path = `${this.#folder}/${name.slice(0, 2)}/${name.slice(2)}`
    const bytes = readExact(path, Math.min(budget.left, deflated(largestObject)))
    if (bytes === undefined) return undefined
    budget.spend(bytes.length)
    const most = Math.min(budget.left, largestObject + 64)
    const whole = inflateSync(bytes, { maxOutputLength: Math.max(1, most) })
    budget.spend(whole.length)
    const end = whole.indexOf(0)
    const [type = ''] = whole.toString('latin1', 0, Math.min(end, 64)).split(' ')
    return { type, bytes: whole.subarray(end + 1) }
  }

  #packed(name: string, effort: Effort): GitObject | undefined {
    for (const pack of this.#currentPacks(effort.budget)) {
      const offset = pack.offsetOf(name)
      if (offset === undefined) continue
      return pack.read(offset, { ...effort, baseOf: (base, depth) => this.#find(base, { ...effort, depth }) })
    }
    return undefined
  }

  /** Git repacks from time to time, which changes their folder. */
  #currentPacks(budget: UnpackBudget): readonly Pack[] {
    const folder = `${this.#folder}/pack`
    const changed = withExact(folder, ({ stat }) => stat.ctimeMs) ?? 0
    if (this.#packs?.changed !== changed) this.#packs = { changed, packs: packsIn(folder, budget) }
    return this.#packs.packs
  }
}

interface PackList {
  /** When the folder was changed last. */
  readonly changed: number
  readonly packs: readonly Pack[]
}

interface GitObject {
  readonly type: string
  readonly bytes: Buffer
}

interface Effort {
  readonly budget: UnpackBudget
  /** The number of deltas that were followed to get here. */
  readonly depth: number
}

function isNamed(name: string, bytes: Buffer): boolean {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === name
}

function packsIn(folder: string, budget: UnpackBudget): readonly Pack[] {
  const packs: Pack[] = []
  let left = largestIndexes
  for (const name of namesInExact(folder, 4 * mostPacks)) {
    if (!name.endsWith('.idx') || packs.length === mostPacks) continue
    const index = readExact(`${folder}/${name}`, Math.min(left, budget.left))
    if (index === undefined) continue
    budget.spend(index.length)
    if (!isPackIndex(index)) continue
    left -= index.length
    packs.push(new Pack(`${folder}/${name.replace(/idx$/, 'pack')}`, index))
  }
  return packs
}

const namesAt = 8 + 256 * 4

/** Version 2, as large as its number of objects needs. */
function isPackIndex(index: Buffer): boolean {
  if (index.length < namesAt || index.readUInt32BE(0) !== 0xff744f63 || index.readUInt32BE(4) !== 2)
    return false
  return index.length >= namesAt + index.readUInt32BE(namesAt - 4) * 28
}

const types = ['', 'commit', 'tree', 'blob', 'tag'] as const
const [byOffset, byName] = [6, 7]

type PackEffort = Effort & {
  readonly baseOf: (name: string, depth: number) => GitObject | undefined
}

/** One pack and its index of version 2: 256 counts, sorted names, checksums, offsets. */
class Pack {
  readonly #path: string
  readonly #index: Buffer
  readonly #count: number

  constructor(path: string, index: Buffer) {
    this.#path = path
    this.#index = index
    this.#count = index.readUInt32BE(namesAt - 4)
  }

  offsetOf(name: string): number | undefined {
    const wanted = Buffer.from(name, 'hex')
    const first = wanted.readUInt8(0)
    let low = first === 0 ? 0 : this.#index.readUInt32BE(8 + (first - 1) * 4)
    let high = Math.min(this.#count, this.#index.readUInt32BE(8 + first * 4))
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

  read(offset: number, effort: PackEffort): GitObject | undefined {
    return withExact(this.#path, ({ fd, stat }) =>
      stat.isFile() ? this.#readAt(fd, offset, effort) : undefined,
    )
  }

  #readAt(fd: number, offset: number, effort: PackEffort): GitObject | undefined {
    const head = readPart(fd, offset, 64)
    const { type, size, next } = readHead(head)
    if (size > largestObject || effort.depth > deepestChain) return undefined
    const inflate = (at: number) => inflateAt(fd, offset + at, { size, budget: effort.budget })
    const depth = effort.depth + 1
    if (type === byOffset) {
      const back = readOffset(head, next)
      const base = this.#readAt(fd, offset - back.value, { ...effort, depth })
      return base && { ...base, bytes: applyDelta(base.bytes, inflate(back.next), effort.budget) }
    }
    if (type === byName) {
      const base = effort.baseOf(head.toString('hex', next, next + 20), depth)
      return base && { ...base, bytes: applyDelta(base.bytes, inflate(next + 20), effort.budget) }
    }
    const name = types[type]
    return name ? { type: name, bytes: inflate(next) } : undefined
  }
}

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
function deflated(size: number): number {
  return Math.ceil(size * 1.01) + 128
}

function inflateAt(
  fd: number,
  offset: number,
  { size, budget }: { readonly size: number; readonly budget: UnpackBudget },
): Buffer {
  budget.spend(deflated(size) + size)
  const bytes = inflateSync(readPart(fd, offset, deflated(size)), { maxOutputLength: Math.max(1, size) })
  if (bytes.length !== size) throw new Error('not the size that was said')
  return bytes
}

/** A delta: both sizes, then parts that are copied from the base or contained in the delta. */
function applyDelta(base: Buffer, delta: Buffer, budget: UnpackBudget): Buffer {
  const before = readSize(delta, 0)
  const after = readSize(delta, before.next)
  if (before.value !== base.length || after.value > largestObject) throw new Error('of another base')
  budget.spend(after.value)
  const whole = Buffer.allocUnsafe(after.value)
  let filled = 0
  let at = after.next
  while (at < delta.length) {
    const { from, start, length, next } = readStep(delta, at, base)
    // Checked before each copy: a few bytes can ask for a gigabyte.
    if (start + length > from.length || filled + length > whole.length) throw new Error('beyond its base')
    filled += from.copy(whole, filled, start, start + length)
    at = next
  }
  if (filled !== whole.length) throw new Error('not the size that was said')
  return whole
}

interface DeltaStep {
  /** The base or the delta itself. */
  readonly from: Buffer
  readonly start: number
  readonly length: number
  readonly next: number
}

function readStep(delta: Buffer, from: number, base: Buffer): DeltaStep {
  const code = delta.readUInt8(from)
  let at = from + 1
  if (!(code & 0x80)) return { from: delta, start: at, length: code, next: at + code }
  const number = (bits: readonly number[]) => {
    let value = 0
    for (const [index, bit] of bits.entries())
      if (code & (1 << bit)) value += delta.readUInt8(at++) * 256 ** index
    return value
  }
  const start = number([0, 1, 2, 3])
  const length = number([4, 5, 6]) || 0x10000
  return { from: base, start, length, next: at }
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
  const buffer = Buffer.allocUnsafe(length)
  return buffer.subarray(0, readSync(fd, buffer, 0, length, offset))
}
