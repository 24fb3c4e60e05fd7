import { Workspace } from '@mutsumi/tools'
import {
  type Allowance,
  allowancesOf,
  openTrustStore,
  type ProjectFiles,
  readProjectFiles,
  readSkillFiles,
  type Trust,
  type TrustStore,
} from '@mutsumi/tools/parts'
import type { Place } from './open-workspace.js'

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

/** The user's decision about a folder as it is now. */
export type TrustDecision =
  | { readonly kind: 'trusted' | 'refused' }
  /** It has nothing to trust, and the user has not decided about it. */
  | { readonly kind: 'nothing' }
  /** The user has to be asked. The changes are those since the last answer, one line each. */
  | { readonly kind: 'open'; readonly changes?: readonly string[] }
  | { readonly kind: 'fault'; readonly message: string }

/** A project, and the decision about exactly this content. */
export interface JudgedProject extends Project {
  readonly decision: TrustDecision
}

export async function judgeProject(root: string): Promise<JudgedProject> {
  const project = readProject(root)
  return { ...project, decision: decisionOf(await openTrustStore(), root, project.allowances) }
}

export function decisionOf(store: TrustStore, root: string, now: readonly Allowance[]): TrustDecision {
  const trust: Trust = store.check(root, now)
  switch (trust.kind) {
    case 'trusted':
    case 'fault':
      return trust
    case 'changed':
      return { kind: 'open', changes: trust.changes }
    case 'unbound':
      return { kind: 'open' }
    case 'untrusted':
      if (store.isDistrusted(root)) return { kind: 'refused' }
      return { kind: now.length === 0 ? 'nothing' : 'open' }
    default:
      return trust satisfies never
  }
}

/** The place in which the content of a project takes effect, in exactly the form that was judged. */
export function trustedPlace({ files, allowances }: Project): Omit<Place, 'root'> {
  return { trusted: true, files, approvedSkills: new Set(allowances.map(({ hash }) => hash)) }
}
