/** The state of one thing that a run needs. */
export interface Check {
  readonly name: string
  readonly finding: string
  /** The problem that keeps a run from working as configured. */
  readonly problem?: string
  readonly solution?: string
}
