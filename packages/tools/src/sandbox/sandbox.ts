/** What keeps a command inside the workspace on this machine. */
export type Sandbox =
  | {
      readonly kind: 'bubblewrap'
      readonly program: string
      /** This bubblewrap, or this kernel, cannot switch them off; the filter of system calls still refuses them. */
      readonly leavesUserNamespaces?: true
    }
  | { readonly kind: 'seatbelt'; readonly program: string }
  | {
      readonly kind: 'none'
      readonly reason: string
      /** How to get one; absent where that is impossible, or where the user wants none. */
      readonly remedy?: string
    }

/** What one command may see and change. All paths are real and absolute. */
export interface Confinement {
  /** Where the command starts. */
  readonly directory: string
  readonly network: boolean
  /** Root on this machine: inside, it has another name and none of root's rights. */
  readonly isRoot: boolean
  /** The workspace's folders. */
  readonly writable: readonly string[]
  /** Folders inside the workspace that may be written in, and cannot be renamed: they hold protected paths. */
  readonly pinned: readonly string[]
  /** Paths inside the workspace that stay as they are. */
  readonly protected: readonly string[]
  /** Protected paths that may not exist. A mount needs something to lie on, so only Seatbelt can keep them away. */
  readonly absent: readonly string[]
  /** Home folders: not shown, but for `readable`. */
  readonly homes: readonly string[]
  /** Programs and settings outside the system's own folders. */
  readonly readable: readonly string[]
  /** Never shown, wherever they lie. */
  readonly secrets: readonly Secret[]
  /** What a rule of the user's denies to be read: it is there, and cannot be opened. */
  readonly denied: readonly Secret[]
}

export interface Secret {
  readonly path: string
  readonly kind: 'file' | 'folder'
}

/** A program with its arguments. */
export interface ProgramCall {
  readonly program: string
  readonly args: readonly string[]
  /** What it reads from its fourth descriptor. */
  readonly filter?: Uint8Array
}
