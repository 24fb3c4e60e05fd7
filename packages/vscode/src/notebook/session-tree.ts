import { safeLine } from '@mutsumi/schema'
import type { ListedSession } from '@mutsumi/session/node'

/** `in-use`: another program writes to it, or the agent that started this one. */
export type SessionActivity = 'idle' | 'running' | 'waiting' | 'in-use' | 'damaged'

/** A session as the view lists it, with those of its sub-agents. */
export interface SessionNode {
  readonly path: string
  /** The address of a notebook that is not a file on this machine, or not yet. */
  readonly uri?: string
  readonly id: string
  readonly title: string
  readonly state: SessionActivity
  readonly rounds?: number
  /** ISO 8601. Empty if it is unknown. */
  readonly lastAt: string
  readonly children: readonly SessionNode[]
}

/** Several lists as one: each file once, the most recently active first. */
export function mergedSessions(lists: readonly (readonly ListedSession[])[]): readonly ListedSession[] {
  const byPath = new Map(lists.flat().map((session) => [session.path, session]))
  return [...byPath.values()].sort((one, other) =>
    one.lastAt === other.lastAt ? 0 : one.lastAt < other.lastAt ? 1 : -1,
  )
}

/** A notebook that is open but has no file here, so only its name is known. */
export function openNode(
  { path, uri }: { readonly path: string; readonly uri: string },
  state: SessionActivity,
): SessionNode {
  return { path, uri, id: uri, title: nameOf(path), state, lastAt: '', children: [] }
}

function nameOf(path: string): string {
  return path.replace(/^.*[\\/]/, '')
}

/** Puts sub-agents below the session that started them. Each file is there once, even if copies of a session have its id. */
export function sessionTree(
  sessions: readonly ListedSession[],
  stateOf: (path: string) => SessionActivity,
): readonly SessionNode[] {
  const byParent = new Map<string | undefined, ListedSession[]>()
  const known = new Set(sessions.flatMap(({ summary }) => summary?.id ?? []))
  for (const session of sessions) {
    const { id, parent } = session.summary ?? {}
    const above = parent !== undefined && parent !== id && known.has(parent) ? parent : undefined
    const others = byParent.get(above)
    if (others) others.push(session)
    else byParent.set(above, [session])
  }
  const placed = new Set<ListedSession>()
  const nodesOf = (all: readonly ListedSession[]): readonly SessionNode[] =>
    all.flatMap((session) => {
      if (placed.has(session)) return []
      placed.add(session)
      const id = session.summary?.id
      return [nodeOf(session, stateOf, id === undefined ? [] : nodesOf(byParent.get(id) ?? []))]
    })
  const top = nodesOf(byParent.get(undefined) ?? [])
  // A session that was written by hand may be its own ancestor.
  return [...top, ...nodesOf(sessions)]
}

function nodeOf(
  { path, lastAt, summary, fault }: ListedSession,
  stateOf: (path: string) => SessionActivity,
  children: readonly SessionNode[],
): SessionNode {
  return {
    ...{ path, lastAt, children, id: summary?.id ?? path },
    title: safeLine(summary?.title ?? nameOf(path)),
    state: fault ? 'damaged' : stateOf(path),
    ...(summary?.rounds !== undefined && { rounds: summary.rounds }),
  }
}
