/** Something the user should know. It never stops the work: whatever it is about says so itself in the context. */
export interface Warning {
  /** Stable and kebab-case, for programs. */
  readonly code: string
  readonly message: string
  /** A workspace-relative path, `prompt`, `cell N`, or the name of a tool. */
  readonly source: string
  /** From 1; absent where the warning is about no place in a text. */
  readonly line?: number
  readonly column?: number
}
