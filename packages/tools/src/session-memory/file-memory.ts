/** What the model knows of a file. */
export interface SeenFile {
  readonly mtimeMs: number
  readonly size: number
  /** SHA-256 of the file's bytes, hexadecimal; undefined where the file is too large to be read whole. */
  readonly hash: string | undefined
}

/** True where two looks at a file found the same. A new time alone is no change where the content is known. */
export function isSameContent(one: SeenFile, other: SeenFile): boolean {
  if (one.hash !== undefined && other.hash !== undefined) return one.hash === other.hash
  return one.mtimeMs === other.mtimeMs && one.size === other.size
}

/** Which files the model has seen, by real path. Kept in memory only: a new session must look again. */
export class FileMemory {
  readonly #seen = new Map<string, SeenFile>()

  /** What the model saw last of a file. */
  lastSeen(realPath: string): SeenFile | undefined {
    return this.#seen.get(realPath)
  }

  /** Notes what the model has just read, or what one of our own edits has made of the file. */
  saw(realPath: string, file: SeenFile): void {
    this.#seen.set(realPath, file)
  }

  forget(realPath: string): void {
    this.#seen.delete(realPath)
  }

  /** Nothing that the model saw counts any more: what it saw has left the view. */
  forgetAll(): void {
    this.#seen.clear()
  }
}
