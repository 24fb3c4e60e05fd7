/** The state of a file that the model knows. */
export interface SeenFile {
  readonly mtimeMs: number
  readonly size: number
  /** SHA-256 of the file's bytes, hexadecimal; undefined if the file is too large to read whole. */
  readonly hash: string | undefined
}

/** True if two states of a file are the same. If the content is known, a new time alone is not a change. */
export function isSameContent(one: SeenFile, other: SeenFile): boolean {
  if (one.hash !== undefined && other.hash !== undefined) return one.hash === other.hash
  return one.mtimeMs === other.mtimeMs && one.size === other.size
}

/** Which files the model has seen, by real path. Kept only in memory: a new session must read them again. */
export class FileMemory {
  readonly #seen = new Map<string, SeenFile>()

  /** The last state of a file that the model saw. */
  lastSeen(realPath: string): SeenFile | undefined {
    return this.#seen.get(realPath)
  }

  /** Records the state that the model has just read or that one of our own edits has made. */
  saw(realPath: string, file: SeenFile): void {
    this.#seen.set(realPath, file)
  }

  forget(realPath: string): void {
    this.#seen.delete(realPath)
  }

  /** Forgets everything that the model saw, because it has left the view. */
  forgetAll(): void {
    this.#seen.clear()
  }
}
