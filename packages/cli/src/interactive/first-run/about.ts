import { existsSync } from 'node:fs'
import type { OfflineReason } from '@mutsumi/host'

/** The facts about the workspace and the agent that are shown at the start. */
export interface About {
  readonly model: string
  /** Why it is the offline one, if nobody asked for that. */
  readonly offline?: OfflineReason | undefined
  readonly root: string
  /** The sandbox that confines commands. */
  readonly sandbox: 'bubblewrap' | 'seatbelt' | 'none'
  /** Rules in `.mutsumi/rules`. */
  readonly rules: number
  /** `CODE_LAW.md`, `AGENTS.md`: those that are there. */
  readonly projectRules: readonly string[]
  /** Nobody has talked here before. */
  readonly isFirst: boolean
}

/** The project's own files of rules that are there. */
export function presentFiles(root: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => existsSync(`${root}/${name}`))
}
