import type { PermissionGateOptions } from '@mutsumi/tools'
import type { AgentParts } from './run-cell.js'

type Ask = NonNullable<PermissionGateOptions['ask']>

interface KnownSession {
  /** The parts of its workspace that its own were made from. */
  readonly shared: AgentParts
  readonly own: Promise<AgentParts>
}

/**
 * The parts of each session: those of its workspace, with a gate of its own. So a permission "for this session" holds in one
 * session, and questions of different sessions do not wait for each other.
 */
export class SessionParts {
  readonly #known = new Map<string, KnownSession>()

  /** The same object until the parts of the workspace change. Permissions of the session stay even then. */
  of(session: string, shared: AgentParts, ask: Ask): Promise<AgentParts> {
    const known = this.#known.get(session)
    if (known?.shared === shared) return known.own
    const own = withOwnGate(shared, { ask, before: known?.own })
    this.#known.set(session, { shared, own })
    return own
  }

  /** The session is closed. Nothing is allowed if it is opened again. */
  forget(session: string): void {
    this.#known.delete(session)
  }
}

async function withOwnGate(
  shared: AgentParts,
  { ask, before }: { readonly ask: Ask; readonly before: Promise<AgentParts> | undefined },
): Promise<AgentParts> {
  const earlier = await before?.catch(() => undefined)
  const allowed = earlier?.toolbox.gate.sessionRules() ?? []
  const gate = await shared.toolbox.sessionGate({ ask, allowed })
  return { ...shared, toolbox: { ...shared.toolbox, gate } }
}
