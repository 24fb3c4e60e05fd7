import { createHash } from 'node:crypto'
import { type JudgedProject, judgeProject, type Place, trustedPlace } from '@mutsumi/host'
import { type Allowance, openTrustStore, type Saving } from '@mutsumi/tools/parts'

/** A folder of the editor's workspace. */
export interface EditorFolder {
  readonly root: string
  /** The editor trusts the workspace. */
  readonly trusted: boolean
}

/**
 * The part of a folder that takes effect. The editor's trust alone is not enough, because it covers everything that appears in the
 * folder later. The user's list, which the terminal uses too, must have each setting, server and skill as it is now.
 */
export async function editorPlace({ root, trusted }: EditorFolder): Promise<Omit<Place, 'root'>> {
  if (!trusted) return { trusted: false }
  const project = await judgeProject(root)
  return isInEffect(project) ? trustedPlace(project) : { trusted: false }
}

function isInEffect({ decision: { kind } }: JudgedProject): boolean {
  // The editor's trust covers the rules' read-only calls of a folder that brings nothing else.
  return kind === 'trusted' || kind === 'nothing'
}

/** Whether parts that were opened earlier are still what the folder brings and the user trusts. */
export async function isCurrent(opened: Place, folder: EditorFolder): Promise<boolean> {
  const now = await editorPlace(folder)
  return now.trusted === opened.trusted && isSame(now.approvedSkills, opened.approvedSkills)
}

function isSame(one: ReadonlySet<string> = new Set(), other: ReadonlySet<string> = new Set()): boolean {
  return one.size === other.size && [...one].every((hash) => other.has(hash))
}

/** A decision about a folder that a person has to make. */
export interface TrustQuestion {
  readonly root: string
  /** All that would take effect. The answer counts for exactly this. */
  readonly allowances: readonly Allowance[]
  /** One line for each setting, server and skill to decide about, servers first. */
  readonly lines: readonly string[]
  /** Something changed since the user trusted the folder. */
  readonly isChange: boolean
  /** The user said no to the folder earlier, here or in the terminal, and is asked only if they want to be. */
  readonly isRefused: boolean
  /** Another one if anything that would take effect changes. */
  readonly key: string
}

export type TrustState =
  | { readonly kind: 'question'; readonly question: TrustQuestion }
  | { readonly kind: 'fault'; readonly message: string }
  /** Nothing of the folder waits for the user. */
  | { readonly kind: 'settled' }

export async function trustState({ root, trusted }: EditorFolder): Promise<TrustState> {
  // The editor asks about that itself.
  if (!trusted) return { kind: 'settled' }
  const { allowances, decision } = await judgeProject(root)
  if (decision.kind === 'fault') return decision
  if (decision.kind === 'trusted' || allowances.length === 0) return { kind: 'settled' }
  const changes = decision.kind === 'open' ? decision.changes : undefined
  const lines = changes ?? allowances.map(({ name, shown }) => `${name}: ${shown}`)
  return {
    kind: 'question',
    question: {
      ...{ root, allowances, lines: [...lines].sort(serversFirst) },
      ...{ isChange: changes !== undefined, isRefused: decision.kind === 'refused' },
      key: keyOf(allowances),
    },
  }
}

/** A server is a program that runs with all the rights of the user. */
function serversFirst(one: string, other: string): number {
  const rank = (line: string) => (line.startsWith('server ') ? 0 : 1)
  return rank(one) - rank(other)
}

function keyOf(allowances: readonly Allowance[]): string {
  const parts = allowances.map(({ name, hash }) => [name, hash])
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Writes the answer to the list that the terminal uses too. */
export async function trustAnswer({ root, allowances }: TrustQuestion): Promise<Saving> {
  return (await openTrustStore()).trust(root, allowances)
}
