import { existsSync } from 'node:fs'
import type { OfflineReason } from '@mutsumi/host'

/** The facts about the workspace and the agent that are shown at the start. */
export interface About {
  readonly model: string
  /** The reason why it is the offline model, if the user did not ask for that. */
  readonly offline?: OfflineReason | undefined
  readonly root: string
  /** The sandbox that confines commands. */
  readonly sandbox: 'bubblewrap' | 'seatbelt' | 'none'
  /** Rules in `.mutsumi/rules`. */
  readonly rules: number
  /** The files among `CODE_LAW.md` and `AGENTS.md` that exist. */
  readonly projectRules: readonly string[]
  /** This is the first conversation in the workspace. */
  readonly isFirst: boolean
}

/** The files among `names` that exist in the workspace. */
export function presentFiles(root: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => existsSync(`${root}/${name}`))
}
