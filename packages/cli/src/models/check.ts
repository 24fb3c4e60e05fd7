/** One thing that a run needs, and how it is here. */
export interface Check {
  readonly name: string
  readonly finding: string
  /** What keeps a run from working, or from working as it is set. */
  readonly problem?: string
  readonly solution?: string
}
