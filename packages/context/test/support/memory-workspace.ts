import { createHash } from 'node:crypto'
import {
  type DirectoryReading,
  type LineRange,
  type Reading,
  type ReadOptions,
  sniffImage,
} from '@mutsumi/schema'
import { type Ports, type Reader, TextLines, type ToolRunner } from './engine.js'

type Content = string | Uint8Array

/**
 * A workspace in memory, for tests of the pure engine: the safe opening of real files is tested where it
 * lives, in `@mutsumi/tools`. Like the real one it returns the same object while a file is unchanged.
 */
export class MemoryWorkspace implements Reader {
  readonly root = '/ws'
  /** Paths that were really read, not answered from the cache: what a test of caching looks at. */
  readonly reads: string[] = []
  readonly #files = new Map<string, Content>()
  readonly #readings = new Map<string, Reading>()

  constructor(files: Readonly<Record<string, Content>> = {}) {
    for (const [path, content] of Object.entries(files)) this.write(path, content)
  }

  write(path: string, content: Content): void {
    this.#files.set(this.#absolute(path), content)
    this.#forget(this.#absolute(path))
  }

  remove(path: string): void {
    this.#files.delete(this.#absolute(path))
    this.#forget(this.#absolute(path))
  }

  read(path: string, options: ReadOptions): Reading {
    if (path.includes('\0')) return { kind: 'fault', code: 'INVALID_PARAM', message: 'the path holds a NUL' }
    if (!inside(path, this.root))
      return { kind: 'fault', code: 'ACCESS_DENIED', message: 'is outside the allowed folders' }
    const lines = this.#isLarge(path, options) ? options.lines : undefined
    const id = `${path}\0${lines?.start}\0${lines?.end}`
    const reading = this.#readings.get(id) ?? this.#open(path, options)
    this.#readings.set(id, reading)
    return reading
  }

  async glob(pattern: string, { limit }: { limit: number }): Promise<{ paths: string[]; total: number }> {
    const parts = pattern
      .split(/(\*\*\/|\*\*|\*)/)
      .map((part) => globPart[part] ?? part.replace(/[.[\]{}()+?^$|\\]/g, '\\$&'))
    const expression = new RegExp(`^${this.root}/${parts.join('')}$`)
    const paths = [...this.#files.keys()].filter((path) => expression.test(path)).sort()
    return { paths: paths.slice(0, limit), total: paths.length }
  }

  #open(path: string, options: ReadOptions): Reading {
    this.reads.push(path)
    const content = this.#files.get(path)
    if (content === undefined) return this.#list(path)
    if (typeof content !== 'string') return binary(content, options)
    const size = new TextEncoder().encode(content).length
    if (size <= options.maxBytes) return file(content, { size, truncated: false })
    if (options.lines) return largeLines(content, size, options.lines)
    const cut = content.slice(0, options.maxBytes)
    return file(cut.slice(0, cut.lastIndexOf('\n') + 1), { size, truncated: true })
  }

  /** Only of a large file are lines read alone; any other comes whole, and its reading is one object. */
  #isLarge(path: string, { maxBytes }: ReadOptions): boolean {
    const content = this.#files.get(path)
    return typeof content === 'string' && Buffer.byteLength(content) > maxBytes
  }

  #list(path: string): Reading {
    const prefix = path === '/' ? '/' : `${path}/`
    const below = [...this.#files.keys()]
      .filter((file) => file.startsWith(prefix))
      .map((file) => file.slice(prefix.length))
    if (below.length === 0 && path !== this.root)
      return { kind: 'fault', code: 'NOT_FOUND', message: 'not found' }
    const names = new Map(below.map((rest) => [rest.split('/')[0] ?? '', rest.includes('/')]))
    const entries = [...names].map(([name, directory]) => ({ name, directory }))
    entries.sort((a, b) => Number(b.directory) - Number(a.directory) || (a.name < b.name ? -1 : 1))
    return { kind: 'directory', entries } satisfies DirectoryReading
  }

  /** A change is seen in the file itself and in the folders above it; every other reading stands. */
  #forget(changed: string): void {
    for (const id of this.#readings.keys()) {
      const path = id.slice(0, id.indexOf('\0'))
      if (path === changed || path === '/' || changed.startsWith(`${path}/`)) this.#readings.delete(id)
    }
  }

  #absolute(path: string): string {
    return path.startsWith('/') ? path : `${this.root}/${path}`
  }
}

const globPart: Record<string, string> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' }

function inside(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}

function file(text: string, { size, truncated }: { size: number; truncated: boolean }): Reading {
  return { kind: 'file', text, hash: sha256(text), size, truncated }
}

function largeLines(content: string, size: number, lines: LineRange): Reading {
  const all = new TextLines(content)
  const text = all.slice(lines)
  if (text === undefined) return { kind: 'fault', code: 'INVALID_PARAM', message: 'the file is shorter' }
  const given = { start: lines.start, end: Math.min(lines.end, all.count) }
  return { kind: 'file', text, hash: sha256(text), size, truncated: false, lines: given }
}

function binary(content: Uint8Array, options: ReadOptions): Reading {
  const mediaType = sniffImage(content)
  if (!mediaType) return { kind: 'fault', code: 'BINARY_FILE', message: 'is a binary file' }
  if (content.length > options.maxImageBytes)
    return { kind: 'fault', code: 'TOO_LARGE', message: `is ${content.length} bytes` }
  const base64 = Buffer.from(content).toString('base64')
  return { kind: 'image', mediaType, base64, hash: sha256(base64), size: content.length }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function portsOf(workspace: MemoryWorkspace, tools?: ToolRunner): Ports {
  return { reader: workspace, hash: sha256, ...(tools ? { tools } : {}) }
}

/** The smallest picture that is one. */
export const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])
