/** What the model knows of a file. */
export interface SeenFile {
  readonly mtimeMs: number
  readonly size: number
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly hash: string
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
}
