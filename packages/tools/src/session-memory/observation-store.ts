import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hashText } from '../ground/hash-text.js'
import { withOpened } from '../workspace/open-checked.js'
import { readBytes } from '../workspace/read-bytes.js'

export interface ObservationStoreOptions {
  /** The most characters of all texts in memory together. */
  readonly memoryLimit?: number
}

/** 64 MiB, at two bytes per character. */
const defaultMemoryLimit = 32 * 1024 * 1024

/**
 * Full results by the hash of their text, as files beside the session. Storing never fails: a text that cannot be
 * written is kept in memory, and if even that is too much, Recall reports that it is gone.
 */
export class ObservationStore {
  readonly #folder: string | undefined
  readonly #memoryLimit: number
  /** Texts that are not on disk, the oldest first. */
  readonly #kept = new Map<string, string>()
  #keptLength = 0

  constructor(folder?: string, { memoryLimit = defaultMemoryLimit }: ObservationStoreOptions = {}) {
    this.#folder = folder === undefined ? undefined : resolve(folder)
    this.#memoryLimit = memoryLimit
  }

  get folder(): string | undefined {
    return this.#folder
  }

  /** Stores a text and returns its Recall id. */
  keep(text: string): string {
    const id = idOf(text)
    if (this.#folder === undefined || !isStored(this.#folder, id, text)) this.#remember(id, text)
    return id
  }

  find(id: string): string | undefined {
    // An id comes from a model, so only a valid one becomes part of a path.
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

/** True if the text is on disk after this call. */
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
    // The folder is not a folder or not writable, so there is no half-written file in it either.
  }
}

/** A text that no longer matches its id, because it is incomplete or was changed, is not found. */
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
