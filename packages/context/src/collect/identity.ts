import type { AgentMetadata, Warning } from '@mutsumi/schema'

/** Whom a request speaks to, and what it may touch. */
export interface Identity {
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
}

export function identify(metadata: AgentMetadata, defaultUris: readonly string[]): Identity {
  const allowedUris = readUris(metadata.allowed_uris ?? defaultUris)
  return { allowedUris, isSubAgent: Boolean(metadata.parent_agent_id) }
}

/** The list itself where it is one: readers know a list again. What else someone wrote there allows nothing. */
function readUris(allowed: unknown): readonly string[] {
  if (!Array.isArray(allowed)) return []
  const isText = (uri: unknown): uri is string => typeof uri === 'string'
  return allowed.every(isText) ? allowed : allowed.filter(isText)
}

/** A session's folders that are not the user's own choice do not count: who wonders why is told. */
export function narrowed(
  wanted: readonly string[],
  scope: readonly string[],
): { warnings: readonly Warning[] } {
  if (wanted.every((uri) => scope.includes(uri))) return { warnings: [] }
  const message =
    'the session allows folders that this workspace does not: they cannot be read here, and the model is not told of them'
  return { warnings: [{ code: 'allowed-uris', message, source: 'session' }] }
}
