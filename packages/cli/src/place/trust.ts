import { type Place, shellPath } from '@mutsumi/host'
import { safeLine } from '@mutsumi/schema'
import { Workspace } from '@mutsumi/tools'
import {
  type Allowance,
  allowancesOf,
  openTrustStore,
  type ProjectFiles,
  readProjectFiles,
  readSkillFiles,
  type Trust,
} from '@mutsumi/tools/parts'
import { printNote } from '../terminal/output.js'

/** The effects of a project if it were trusted, and the files that define them. */
export interface Project {
  readonly files: ProjectFiles
  readonly allowances: readonly Allowance[]
}

/** Read once, so that the checked content is the used content. */
export function readProject(root: string): Project {
  const files = readProjectFiles(root)
  return { files, allowances: allowancesOf(root, files, readSkillFiles(new Workspace({ root }))) }
}

/** Whether the user's decision about a folder is still valid. If not, a note says why and what to do. */
export async function checkTrust(root: string): Promise<Omit<Place, 'root'>> {
  const { files, allowances } = readProject(root)
  const trust = (await openTrustStore()).check(root, allowances)
  for (const line of noteOf(trust, root)) printNote(`mutsumi: ${line}`)
  if (trust.kind !== 'trusted') return { trusted: false }
  return { trusted: true, files, approvedSkills: new Set(allowances.map(({ hash }) => hash)) }
}

function noteOf(trust: Trust, root: string): readonly string[] {
  const remedy = `mutsumi trust -C ${shellPath(root)}`
  switch (trust.kind) {
    case 'trusted':
    case 'untrusted':
      return []
    case 'changed':
      return [
        `${safeLine(root)} counts as untrusted, because it changed since you trusted it:`,
        ...trust.changes.map((change) => `  ${change}`),
        `${remedy} shows what it allows now and trusts it again`,
      ]
    case 'unbound':
      return [
        `${safeLine(root)} was trusted by an older version that did not record what it allows, so it counts as untrusted; ${remedy} shows what it allows and trusts it again`,
      ]
    case 'fault':
      return [trust.message]
    default:
      return trust satisfies never
  }
}
