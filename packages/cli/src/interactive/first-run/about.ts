import { existsSync } from 'node:fs'
import { rulesFileNames } from '@mutsumi/context/parts'
import type { OfflineReason } from '@mutsumi/host'

/** The facts about the workspace and the agent that are shown at the start. */
export interface About {
  readonly model: string
  /** The reason why it is the offline model, if the user did not ask for that. */
  readonly offline?: OfflineReason | undefined
  /** The key or the address that the model lacks. */
  readonly lack?: string | undefined
  readonly root: string
  /** The name of the session that is continued. */
  readonly session?: string | undefined
  /** The sandbox that confines commands. */
  readonly sandbox: 'bubblewrap' | 'seatbelt' | 'none'
  /** Rules in `.mutsumi/rules`. */
  readonly rules: number
  /** The files among `CODE_LAW.md` and `AGENTS.md` (or `CLAUDE.md`) that exist. */
  readonly projectRules: readonly string[]
  /** This is the first conversation in the workspace. */
  readonly isFirst: boolean
}

/** The project's rules files that exist in the workspace: those of these names, or their stand-ins. */
export function presentFiles(root: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const present = rulesFileNames(name).find((each) => existsSync(`${root}/${each}`))
    return present === undefined ? [] : [present]
  })
}
