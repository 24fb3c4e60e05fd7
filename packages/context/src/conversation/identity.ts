import type { AgentMetadata, Warning } from '@mutsumi/schema'

/** Whom a request speaks to, and what it may touch. */
export interface Identity {
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
}

export function identify(metadata: AgentMetadata, allowed: AllowedUris): Identity {
  const allowedUris = allowed.of(metadata.allowed_uris)
  return { allowedUris, isSubAgent: Boolean(metadata.parent_agent_id) }
}

/** What a session may touch: what it says, or else the workspace; and what the user adds. */
export class AllowedUris {
  readonly #usual: readonly string[]
  readonly #added: readonly string[]
  /** Readers know a list again, so the same one is given each time. */
  readonly #joined = new WeakMap<readonly string[], readonly string[]>()

  constructor(usual: readonly string[], added: readonly string[]) {
    this.#usual = usual
    this.#added = added
  }

  of(said: unknown): readonly string[] {
    const uris = readUris(said ?? this.#usual)
    if (this.#added.length === 0) return uris
    const known = this.#joined.get(uris)
    if (known) return known
    const joined = [...uris, ...this.#added]
    this.#joined.set(uris, joined)
    return joined
  }
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
