import type { AgentMetadata, Warning } from '@mutsumi/schema'
import { warningWords } from '../ground/warning-words.js'

/** The agent that a request is for, and the folders it may use. */
export interface Identity {
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
}

export function identify(metadata: AgentMetadata, allowed: AllowedUris): Identity {
  const allowedUris = allowed.of(metadata.allowed_uris)
  return { allowedUris, isSubAgent: Boolean(metadata.parent_agent_id) }
}

/** The folders that a session may use: its own list, or else the workspace, and the folders that the user adds. */
export class AllowedUris {
  readonly #usual: readonly string[]
  readonly #added: readonly string[]
  /** Readers recognise a list by identity, so the same list is returned each time. */
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

/** Returns the list itself if it is valid, because readers recognise it by identity. Anything else allows nothing. */
function readUris(allowed: unknown): readonly string[] {
  if (!Array.isArray(allowed)) return []
  const isText = (uri: unknown): uri is string => typeof uri === 'string'
  return allowed.every(isText) ? allowed : allowed.filter(isText)
}

/** Folders in the session that the user did not choose are ignored. A warning says so. */
export function narrowed(
  wanted: readonly string[],
  scope: readonly string[],
): { warnings: readonly Warning[] } {
  if (wanted.every((uri) => scope.includes(uri))) return { warnings: [] }
  return { warnings: [{ code: 'allowed-uris', ...warningWords('allowed-uris'), source: 'session' }] }
}
