import type { AgentMessage, Session, Warning } from '@mutsumi/schema'
import { type AssembleOptions, ContextEngine, type EngineOptions } from '../assemble.js'
import type { Ports } from '../ground/ports.js'

export interface InteractionHistory {
  readonly messages: readonly AgentMessage[]
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
}

export interface InteractionHistoryOptions extends AssembleOptions {
  /** Called with everything that the user should know: a picture that could not be read, an undefined macro. */
  readonly onWarning?: (warning: Warning) => void
}

/**
 * Builds the request of cell `currentCellIndex` and saves `contextItems` and `macroContext` to the session's metadata.
 * A preview saves nothing. Pass the same engine to the next build, because it caches what it read.
 */
export async function buildInteractionHistory(
  session: Session,
  currentCellIndex: number,
  currentPrompt: string,
  engine: ContextEngine,
  { onWarning, ...options }: InteractionHistoryOptions = {},
): Promise<InteractionHistory> {
  const { messages, allowedUris, isSubAgent, warnings, metadata } = await engine.assemble(
    session,
    currentCellIndex,
    currentPrompt,
    options,
  )
  for (const warning of warnings) onWarning?.(warning)
  if (!options.dryRun) session.metadata = metadata
  return { messages, allowedUris, isSubAgent }
}

/** `buildInteractionHistory` with the signature of the design documents; its ports are already bound. */
export type BuildInteractionHistory = (
  session: Session,
  currentCellIndex: number,
  currentPrompt: string,
  options?: InteractionHistoryOptions,
) => Promise<InteractionHistory>

/** Binds the host's ports. Each session has its own engine, which keeps its caches as long as the session is in use. */
export function createBuildInteractionHistory(
  ports: Ports,
  engineOptions: EngineOptions = {},
): BuildInteractionHistory {
  const engines = new WeakMap<Session, ContextEngine>()
  return (session, currentCellIndex, currentPrompt, options) => {
    const engine = engines.get(session) ?? new ContextEngine(ports, engineOptions)
    engines.set(session, engine)
    return buildInteractionHistory(session, currentCellIndex, currentPrompt, engine, options)
  }
}
