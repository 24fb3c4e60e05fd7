/** What keeps a command inside the workspace on this machine. */
export type Sandbox =
  | { readonly kind: 'bubblewrap'; readonly program: string }
  | { readonly kind: 'seatbelt'; readonly program: string }
  | { readonly kind: 'none'; readonly reason: string }

/** What one command may see and change. All paths are real and absolute. */
export interface Confinement {
  /** Where the command starts. */
  readonly directory: string
  readonly network: boolean
  /** The workspace's folders. */
  readonly writable: readonly string[]
  /** Folders inside the workspace that may be written in, and cannot be renamed: they hold protected paths. */
  readonly pinned: readonly string[]
  /** Paths inside the workspace that stay as they are. */
  readonly protected: readonly string[]
  /** Home folders: not shown, but for `readable`. */
  readonly homes: readonly string[]
  /** Programs and settings outside the system's own folders. */
  readonly readable: readonly string[]
  /** Never shown, wherever they lie. */
  readonly secrets: readonly Secret[]
}

export interface Secret {
  readonly path: string
  readonly kind: 'file' | 'folder'
}

/** A program with its arguments. */
export interface ProgramCall {
  readonly program: string
  readonly args: readonly string[]
}
