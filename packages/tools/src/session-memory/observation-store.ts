import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hashText } from '../ground/hash-text.js'
import { withOpened } from '../workspace/open-checked.js'
import { readBytes } from '../workspace/read-bytes.js'

export interface ObservationStoreOptions {
  /** Characters of all texts that are held in memory together. */
  readonly memoryLimit?: number
}

/** 64 MiB, at two bytes a character. */
const defaultMemoryLimit = 32 * 1024 * 1024

/**
 * Full results by the hash of their text, as files beside the session. Keeping never fails: what cannot be
 * written is held in memory, and where even that is too much, Recall says that it is gone.
 */
export class ObservationStore {
  readonly #folder: string | undefined
  readonly #memoryLimit: number
  /** What is on no disk, the oldest first. */
  readonly #kept = new Map<string, string>()
  #keptLength = 0

  constructor(folder?: string, { memoryLimit = defaultMemoryLimit }: ObservationStoreOptions = {}) {
    this.#folder = folder === undefined ? undefined : resolve(folder)
    this.#memoryLimit = memoryLimit
  }

  get folder(): string | undefined {
    return this.#folder
  }

  /** Keeps a text and returns the id that Recall takes. */
  keep(text: string): string {
    const id = idOf(text)
    if (this.#folder === undefined || !isStored(this.#folder, id, text)) this.#remember(id, text)
    return id
  }

  find(id: string): string | undefined {
    // An id comes from a model: only what can be one becomes part of a path.
    if (!/^[0-9a-f]{16}$/.test(id)) return undefined
    return this.#kept.get(id) ?? (this.#folder === undefined ? undefined : load(this.#folder, id))
  }

  #remember(id: string, text: string): void {
    this.#forget(id)
    this.#kept.set(id, text)
    this.#keptLength += text.length
    for (const oldest of this.#kept.keys()) {
      if (this.#keptLength <= this.#memoryLimit) return
      this.#forget(oldest)
    }
  }

  #forget(id: string): void {
    this.#keptLength -= this.#kept.get(id)?.length ?? 0
    this.#kept.delete(id)
  }
}

function idOf(text: string): string {
  return hashText(text).slice(0, 16)
}

/** True where the text is on disk when this returns, now or already before. */
function isStored(folder: string, id: string, text: string): boolean {
  if (load(folder, id) !== undefined) return true
  const temporary = join(folder, `.${id}.${randomUUID()}.tmp`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 })
    renameSync(temporary, fileOf(folder, id))
    return true
  } catch {
    // A full or read-only disk must not fail the tool whose result this is.
    discard(temporary)
    return false
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The folder is no folder, or may not be written: then there is no half-written file in it either.
  }
}

/** What is no longer the text that the id names, torn or tampered with, is not found. */
function load(folder: string, id: string): string | undefined {
  const text = withOpened(
    fileOf(folder, id),
    () => true,
    ({ fd, stat }) => readBytes(fd, 0, stat.size).toString('utf8'),
  )
  return typeof text === 'string' && idOf(text) === id ? text : undefined
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${id}.txt`)
}
