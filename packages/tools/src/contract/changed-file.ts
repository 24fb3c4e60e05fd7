/** A file as it is on disk. */
export interface FileOnDisk {
  /** SHA-256 of its bytes, hexadecimal. */
  readonly hash: string
  /** The permission bits. */
  readonly mode: number
  /** Absent if they were too large to read. */
  readonly bytes?: Uint8Array
  readonly size: number
}

/** The change of one file. `undefined`: it does not exist before or after. */
export interface ChangedFile {
  /** Its real path: relative to the workspace, or absolute in another folder that the user opened. */
  readonly path: string
  readonly before: FileOnDisk | undefined
  readonly after: Pick<FileOnDisk, 'hash' | 'mode'> | undefined
  /** The topmost folder created for the file, written like `path`. */
  readonly made?: string
}

/**
 * Saves the content that a change removes: before the change, if the tool knows it then, and at the latest before its
 * result. Returns a description of what cannot be restored.
 */
export type KeepChanges = (files: readonly ChangedFile[]) => Promise<readonly string[]>
