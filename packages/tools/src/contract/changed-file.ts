/** A file as it is on disk. */
export interface FileOnDisk {
  /** SHA-256 of its bytes, hexadecimal. */
  readonly hash: string
  /** The permission bits. */
  readonly mode: number
  /** Absent where they were too large to be read. */
  readonly bytes?: Uint8Array
  readonly size: number
}

/** What becomes of one file. `undefined`: there is none before, or none after. */
export interface ChangedFile {
  /** Its real path: relative to the workspace, or absolute in another folder that the user opened. */
  readonly path: string
  readonly before: FileOnDisk | undefined
  readonly after: Pick<FileOnDisk, 'hash' | 'mode'> | undefined
  /** The topmost folder that is made for the file, written as `path` is. */
  readonly made?: string
}

/**
 * Keeps what a change takes away: before the change, where a tool knows it then, and at the latest before its result.
 * Answers with what cannot be brought back, in words.
 */
export type KeepChanges = (files: readonly ChangedFile[]) => Promise<readonly string[]>
