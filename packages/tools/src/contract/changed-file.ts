/** A file as it is on disk. */
export interface FileOnDisk {
  /** SHA-256 of its bytes, hexadecimal. Empty if they were not read. */
  readonly hash: string
  /** The permission bits. */
  readonly mode: number
  readonly size: number
  /** Absent if they were not read, or are saved already. */
  readonly bytes?: Uint8Array
}

/** A file that a command may change. */
export interface FileBefore extends Omit<FileOnDisk, 'bytes'> {
  readonly path: string
  /** Returns undefined if the file changed since. */
  read(): Uint8Array | undefined
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

/** Saves the content that changes remove, so that it can be restored. Everything is on disk when a promise resolves. */
export interface ChangeKeeper {
  /** Called before a command that may change these files. Returns the hashes of the saved ones. */
  before(files: readonly FileBefore[]): Promise<ReadonlySet<string>>
  /**
   * Called before files change, or after a command has changed them. Returns descriptions of what cannot be restored.
   * `unseen`: why the command may have changed more files than these.
   */
  changed(files: readonly ChangedFile[], unseen?: string): Promise<readonly string[]>
}
