import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Warning } from '@mutsumi/schema'
import {
  type BuiltInToolOptions,
  builtInTools,
  findSkills,
  type LazyTool,
  type Tool,
  Workspace,
  withSkills,
} from '@mutsumi/tools'
import { homeSkillFolders, type ProjectFiles, userConfigFolder } from '@mutsumi/tools/parts'

/** A folder to work in, and whether the user trusts it. */
export interface Place {
  readonly root: string
  readonly trusted: boolean
  /** Further folders that the user opened for this run. */
  readonly folders?: readonly string[]
  /** The project's files as they were when its trust was checked. Absent if they were not read. */
  readonly files?: ProjectFiles
  /** Hashes of the skills that the user saw when they trusted the folder. Absent if all are allowed. */
  readonly approvedSkills?: ReadonlySet<string>
}

/** A workspace with the tools that work in it, skills included. */
export interface OpenedWorkspace {
  readonly workspace: Workspace
  readonly tools: readonly (Tool | LazyTool)[]
  /** Skills that were left out, with the reason. */
  readonly warnings: readonly Warning[]
}

/** The sandbox of the commands that tools run. */
export type SandboxOptions = Pick<BuiltInToolOptions, 'sandbox' | 'sandboxRequiredBy' | 'network'>

export async function openWorkspace(
  { root, trusted, approvedSkills, folders = [] }: Place,
  confinement: SandboxOptions = {},
): Promise<OpenedWorkspace> {
  const approved = approvedSkills && { approved: approvedSkills }
  const { skills, warnings } = await findSkills({ workspace: new Workspace({ root }), trusted, ...approved })
  const workspace = new Workspace({ root, roots: [...homeSkillFolders(skills), ...folders] })
  const builtIn = builtInTools({
    ...{ trusted, roots: folders, ...confinement },
    ...(approvedSkills && { approvedSkills }),
  })
  return { workspace, tools: withSkills(builtIn, skills), warnings }
}

/** The user's own rules, which are added to every project's. Empty if there are none. */
export function userRules(): { readonly userRules?: Workspace } {
  const folder = userConfigFolder()
  const hasSome = ['AGENTS.md', 'CLAUDE.md', 'rules'].some((name) => existsSync(join(folder, name)))
  return hasSome ? { userRules: new Workspace({ root: folder }) } : {}
}
