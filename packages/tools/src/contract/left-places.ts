import type { ToolCall } from '@mutsumi/schema'

/** A protected place that a command made. It was taken out of the workspace. */
export interface LeftPlace {
  /** The real path where it was. */
  readonly path: string
  /** The real paths where its files were. Undefined if it is a link, or contains one, or too many files to judge. */
  readonly files: readonly string[] | undefined
}

/** Asks what may be put back into the workspace, of everything that one command made. */
export interface LeftRequest {
  readonly call: ToolCall
  readonly allowed: readonly string[]
  readonly places: readonly LeftPlace[]
  /** The task of the calling sub-agent; absent if the agent itself calls. */
  readonly agent?: string
}

/** Returns the paths of the places that may be put back. */
export type PermitLeft = (request: LeftRequest) => Promise<readonly string[]>
