/** The sandbox that keeps commands inside the workspace on this machine. */
export type Sandbox =
  | {
      readonly kind: 'bubblewrap'
      readonly program: string
      /** This bubblewrap or this kernel cannot disable them; the system call filter still refuses them. */
      readonly leavesUserNamespaces?: true
    }
  | { readonly kind: 'seatbelt'; readonly program: string }
  | {
      readonly kind: 'none'
      readonly reason: string
      /** How to get a sandbox; absent if that is impossible or the user wants none. */
      readonly remedy?: string
    }

/** The paths that one command may see and change. All are real and absolute. */
export interface Confinement {
  /** The folder in which the command starts. */
  readonly directory: string
  readonly network: boolean
  /** The user is root on this machine. Inside, it has another name and none of root's rights. */
  readonly isRoot: boolean
  /** The workspace's folders. */
  readonly writable: readonly string[]
  /** Writable folders inside the workspace that cannot be renamed, because they contain protected paths. */
  readonly pinned: readonly string[]
  /** Read-only paths inside the workspace. */
  readonly protected: readonly string[]
  /** Protected paths that must not be created. A mount needs an existing file, so only Seatbelt can prevent them. */
  readonly absent: readonly string[]
  /** Home folders: hidden, except for `readable`. */
  readonly homes: readonly string[]
  /** The system's folders that are links to other ones, such as `/bin`, with what they contain. */
  readonly links: ReadonlyMap<string, string>
  /** Programs and settings outside the system's own folders. */
  readonly readable: readonly string[]
  /** Always hidden, wherever they are. */
  readonly secrets: readonly Secret[]
  /** Paths that the user's rules deny reading: they are visible but cannot be opened. */
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
  /** The data that it reads from its fourth descriptor. */
  readonly filter?: Uint8Array
}
